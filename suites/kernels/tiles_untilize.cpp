// Makes a matrix, whose rows stand in pages one behind the other, out of tiles, and copies a tile after it.
// Compile-time arguments: 0 input and 1 output circular buffer, 2 tiles in a row, 3 tiles in a block of a row, 4 way (0 block
// by block, 1 out of Dst, 2 the functions of before, 3 the fast ones, 4 the fast ones by their indices, from the last row on, 5 out of Dst,
// with all rows in a call, 6 the functions of before, all rows before a push).
// Runtime arguments: 0 rows of tiles.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/experimental/fast_untilize.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/untilize.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr uint32_t width = get_compile_time_arg_val(2);
    constexpr uint32_t block = get_compile_time_arg_val(3);
    constexpr uint32_t way = get_compile_time_arg_val(4);
    const uint32_t rows = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_in, cb_out);
    if constexpr (way == 4) {
        cb_wait_front(cb_in, rows * width);
        cb_reserve_back(cb_out, rows * width);
        fast_untilize_init<width>(cb_in, cb_out);
        for (uint32_t row = 0; row < rows; ++row) {
            fast_untilize_block<width>(cb_in, cb_out, (rows - 1 - row) * width, row * width);
        }
        fast_untilize_uninit<width>(cb_out);
        cb_pop_front(cb_in, rows * width);
        cb_push_back(cb_out, rows * width);
    }
    if constexpr (way == 5) {
        cb_wait_front(cb_in, rows * width);
        cb_reserve_back(cb_out, rows * width);
        copy_init(cb_in);
        pack_untilize_dest_init<block, width>(cb_out);
        for (uint32_t index = 0; index < width / block; ++index) {
            tile_regs_acquire();
            for (uint32_t row = 0; row < rows; ++row) {
                copy_block(cb_in, row * width + index * block, row * block, block);
            }
            tile_regs_commit();
            tile_regs_wait();
            pack_untilize_dest<block, width>(cb_out, rows, index);
            tile_regs_release();
        }
        pack_untilize_uninit(cb_out);
        cb_pop_front(cb_in, rows * width);
        cb_push_back(cb_out, rows * width);
    }
    if constexpr (way == 6) {
        cb_reserve_back(cb_out, rows * width);
        untilize_init(cb_in);
        for (uint32_t row = 0; row < rows; ++row) {
            cb_wait_front(cb_in, width);
            untilize_block<block>(cb_in, width, cb_out);
            cb_pop_front(cb_in, width);
        }
        untilize_uninit(cb_in);
        cb_push_back(cb_out, rows * width);
    }
    for (uint32_t row = 0; way < 4 && row < rows; ++row) {
        cb_reserve_back(cb_out, width);
        if constexpr (way == 0) {
            pack_untilize_init<block, width>(cb_in, cb_out);
            for (uint32_t index = 0; index < width / block; ++index) {
                cb_wait_front(cb_in, block);
                pack_untilize_block<block, width>(cb_in, 1, cb_out, index);
                cb_pop_front(cb_in, block);
            }
            pack_untilize_uninit(cb_out);
        } else if constexpr (way == 1) {
            copy_init(cb_in);
            pack_untilize_dest_init<block, width>(cb_out);
            for (uint32_t index = 0; index < width / block; ++index) {
                cb_wait_front(cb_in, block);
                tile_regs_acquire();
                copy_block(cb_in, 0, 1, block);
                tile_regs_commit();
                cb_pop_front(cb_in, block);
                tile_regs_wait();
                pack_untilize_dest<block, width>(cb_out, 1, index, 1);
                tile_regs_release();
            }
            pack_untilize_uninit(cb_out);
        } else if constexpr (way == 3) {
            cb_wait_front(cb_in, width);
            fast_untilize_init<width>(cb_in, cb_out);
            fast_untilize_block<width>(cb_in, cb_out);
            fast_untilize_uninit<width>(cb_out);
            cb_pop_front(cb_in, width);
        } else {
            cb_wait_front(cb_in, width);
            untilize_init(cb_in);
            untilize_block<block>(cb_in, width, cb_out);
            untilize_uninit(cb_in);
            cb_pop_front(cb_in, width);
        }
        cb_push_back(cb_out, width);
    }

    copy_init(cb_in);
    cb_wait_front(cb_in, 1);
    tile_regs_acquire();
    copy_tile(cb_in, 0, 0);
    tile_regs_commit();
    cb_pop_front(cb_in, 1);
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
}

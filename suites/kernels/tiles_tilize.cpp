// Makes tiles out of a matrix whose rows stand in pages one behind the other, and copies them, so that whole tiles are read
// after rows.
// Compile-time arguments: 0 input circular buffer, 1 circular buffer of the tiles, 2 output circular buffer, 3 tiles in a
// row, 4 whether the functions are the fast ones.
// Runtime arguments: 0 rows of tiles.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_tiles = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr uint32_t block = get_compile_time_arg_val(3);
    constexpr bool fast = get_compile_time_arg_val(4) != 0;
    const uint32_t rows = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_in, cb_tiles);
    for (uint32_t row = 0; row < rows; row += 2) {
        // Two rows of tiles at a time, the lower one first.
        cb_wait_front(cb_in, 2 * block);
        cb_reserve_back(cb_tiles, 2 * block);
        reconfig_data_format_srca(cb_tiles, cb_in);
        pack_reconfig_data_format(cb_out, cb_tiles);
        if constexpr (fast) {
            fast_tilize_init(cb_in, block, cb_tiles);
            fast_tilize_block(cb_in, block, cb_tiles, block, block);
            fast_tilize_block(cb_in, block, cb_tiles);
            fast_tilize_uninit(cb_in, cb_tiles, block);
        } else {
            tilize_init(cb_in, block, cb_tiles);
            tilize_block(cb_in, block, cb_tiles, block, block);
            tilize_block(cb_in, block, cb_tiles);
            tilize_uninit(cb_in, cb_tiles);
        }
        cb_push_back(cb_tiles, 2 * block);
        cb_pop_front(cb_in, 2 * block);

        reconfig_data_format_srca(cb_in, cb_tiles);
        pack_reconfig_data_format(cb_tiles, cb_out);
        copy_init(cb_tiles);
        cb_wait_front(cb_tiles, 2 * block);
        for (uint32_t tile = 0; tile < 2 * block; ++tile) {
            tile_regs_acquire();
            copy_tile(cb_tiles, tile, 0);
            tile_regs_commit();
            cb_reserve_back(cb_out, 1);
            tile_regs_wait();
            pack_tile(0, cb_out);
            tile_regs_release();
            cb_push_back(cb_out, 1);
        }
        cb_pop_front(cb_tiles, 2 * block);
    }
}

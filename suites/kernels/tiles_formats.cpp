// Copies tiles of two circular buffers in turn to two others, each with a format of its own.
// Compile-time arguments: 0 and 1 input circular buffers, 2 and 3 output circular buffers, 4 whether the kernel starts up again for
// each format, behind the init of the other one.
// Runtime arguments: 0 tiles of each.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"

void copy_one(uint32_t cb_in, uint32_t cb_out) {
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

void kernel_main() {
    constexpr uint32_t first_in = get_compile_time_arg_val(0);
    constexpr uint32_t second_in = get_compile_time_arg_val(1);
    constexpr uint32_t first_out = get_compile_time_arg_val(2);
    constexpr uint32_t second_out = get_compile_time_arg_val(3);
    constexpr bool starts_again = get_compile_time_arg_val(4) != 0;
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(first_in, first_out);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        copy_init(first_in);
        copy_one(first_in, first_out);
        if constexpr (starts_again) {
            compute_kernel_hw_startup(second_in, second_out);
        } else {
            reconfig_data_format_srca(first_in, second_in);
            pack_reconfig_data_format(first_out, second_out);
        }
        copy_init(second_in);
        copy_one(second_in, second_out);
        if constexpr (starts_again) {
            compute_kernel_hw_startup(first_in, first_out);
        } else {
            reconfig_data_format_srca(first_in);
            pack_reconfig_data_format(first_out);
        }
    }
}

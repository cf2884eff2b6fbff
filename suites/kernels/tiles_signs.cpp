// Copies tiles and writes 1 for each number that has a sign in Dst, -0 among them, and 0 for each other one.
// Compile-time arguments: 0 input circular buffer, 1 another one, whose format the units are configured for first, 2 output circular
// buffer, 3 whether the format is changed behind copy_init, and not before it.
// Runtime arguments: 0 tiles.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_other = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr bool changes_behind = get_compile_time_arg_val(3) != 0;
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_other, cb_out);
    signbit_tile_init();
    if constexpr (changes_behind) {
        copy_init(cb_other);
        reconfig_data_format(cb_in, cb_in);
    } else {
        reconfig_data_format(cb_in, cb_in);
        copy_init(cb_in);
    }
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(cb_in, 1);
        tile_regs_acquire();
        copy_tile(cb_in, 0, 0);
        signbit_tile(0);
        tile_regs_commit();
        cb_pop_front(cb_in, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}

// Adds tiles to what the packers have written before. The output has one page, so that each result takes the place of another.
// Compile-time arguments: 0 input and 1 output circular buffer, 2 tiles of a result.
// Runtime arguments: 0 results.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr uint32_t tiles = get_compile_time_arg_val(2);
    const uint32_t results = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in);
    for (uint32_t result = 0; result < results; ++result) {
        cb_reserve_back(cb_out, 1);
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            cb_wait_front(cb_in, 1);
            tile_regs_acquire();
            copy_tile(cb_in, 0, 0);
            tile_regs_commit();
            cb_pop_front(cb_in, 1);
            tile_regs_wait();
            pack_reconfig_l1_acc(tile != 0);
            pack_tile<true>(0, cb_out, 0);
            tile_regs_release();
        }
        cb_push_back(cb_out, 1);
    }
}

// Transposes tiles and copies others, in turn. The packers rectify: numbers below 0 become 0.
// Compile-time arguments: 0 input and 1 output circular buffer.
// Runtime arguments: 0 pairs of tiles.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t pairs = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_in, cb_out);
    for (uint32_t pair = 0; pair < pairs; ++pair) {
        cb_wait_front(cb_in, 2);
        tile_regs_acquire();
        transpose_init(cb_in);
        transpose_tile(cb_in, 0, 0);
        copy_init(cb_in);
        copy_tile(cb_in, 1, 1);
        tile_regs_commit();
        cb_pop_front(cb_in, 2);

        cb_reserve_back(cb_out, 2);
        tile_regs_wait();
        pack_tile(0, cb_out);
        pack_relu_config(ReluConfig::zero());
        pack_tile(1, cb_out);
        pack_relu_config(ReluConfig::none());
        tile_regs_release();
        cb_push_back(cb_out, 2);
    }
}

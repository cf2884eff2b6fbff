// Copies tiles, of which the packers rectify the first ones.
// Compile-time arguments: 0 input and 1 output circular buffer, 2 the rectifier as `ReluConfig::from_packed` takes it.
// Runtime arguments: 0 rectified tiles, 1 tiles that follow.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"

ALWI void copy_tiles(uint32_t cb_in, uint32_t cb_out, uint32_t tiles) {
    for (uint32_t tile = 0; tile < tiles; ++tile) {
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
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr uint32_t rectifier = get_compile_time_arg_val(2);
    const uint32_t rectified = get_arg_val<uint32_t>(0);
    const uint32_t others = get_arg_val<uint32_t>(1);

    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in);
    pack_relu_config(ReluConfig::from_packed(rectifier));
    copy_tiles(cb_in, cb_out, rectified);
    pack_relu_config(ReluConfig::none());
    copy_tiles(cb_in, cb_out, others);
}

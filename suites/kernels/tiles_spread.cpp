// Tiles that consist of a part of other tiles: their row 0, their column 0, their datum 0, or all of it.
// Compile-time arguments: 0 input and 1 output circular buffer, 2 part (0 all, 1 column, 2 row, 3 datum).
// Runtime arguments: 0 tiles.

#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr auto part = static_cast<BroadcastType>(get_compile_time_arg_val(2));
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_in, cb_out);
    unary_bcast_init<part>(cb_in);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(cb_in, 1);
        acquire_dst();
        unary_bcast<part>(cb_in, 0, 2);
        cb_pop_front(cb_in, 1);
        cb_reserve_back(cb_out, 1);
        pack_tile(2, cb_out);
        cb_push_back(cb_out, 1);
        release_dst();
    }
    unary_bcast_uninit<part>(cb_in);
}

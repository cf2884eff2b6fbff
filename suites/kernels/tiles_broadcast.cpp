// Combines tiles of one circular buffer with a row, a column or a datum of the first tile of another one.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer, 3 operation (0 product, 2 sum,
// 3 difference), 4 broadcast (1 column, 2 row, 3 datum), 5 the row.
// Runtime arguments: 0 tiles.

#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr auto operation = static_cast<EltwiseBinaryType>(get_compile_time_arg_val(3));
    constexpr auto broadcast = static_cast<BroadcastType>(get_compile_time_arg_val(4));
    constexpr uint32_t row = get_compile_time_arg_val(5);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    bcast_init<operation, broadcast>(cb_a, cb_b);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        tile_regs_acquire();
        any_tiles_bcast<operation, broadcast>(cb_a, cb_b, 0, 0, 3, row);
        tile_regs_commit();
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);

        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(3, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}

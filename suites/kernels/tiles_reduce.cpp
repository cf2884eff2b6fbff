// Sums or maxima of rows, of columns or of all data of tiles, `inner` tiles for each result. The scaling tiles come with the
// tiles.
// Compile-time arguments: 0 circular buffer of the tiles, 1 of the scaling tiles, 2 output circular buffer, 3 type (0 sum,
// 1 average, 2 maximum), 4 dimension (0 rows, 1 columns, 2 all), 5 inner, 6 whether a copy of the last tile follows.
// Runtime arguments: 0 results.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_scaler = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr auto type = static_cast<PoolType>(get_compile_time_arg_val(3));
    constexpr auto dimension = static_cast<ReduceDim>(get_compile_time_arg_val(4));
    constexpr uint32_t inner = get_compile_time_arg_val(5);
    constexpr bool copies = get_compile_time_arg_val(6) != 0;
    const uint32_t results = get_arg_val<uint32_t>(0);
    // Sums of rows have the scaling tile in SrcA.
    constexpr bool swaps = dimension == ReduceDim::REDUCE_ROW && type != PoolType::MAX;

    compute_kernel_hw_startup(cb_in, cb_scaler, cb_out);
    for (uint32_t result = 0; result < results; ++result) {
        if constexpr (swaps) {
            reconfig_data_format(cb_scaler, cb_in);
        }
        reduce_init<type, dimension>(cb_in, cb_scaler, cb_out);
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < inner; ++tile) {
            cb_wait_front(cb_in, 1);
            cb_wait_front(cb_scaler, 1);
            reduce_tile<type, dimension>(cb_in, cb_scaler, 0, 0, 1);
            cb_pop_front(cb_scaler, 1);
            if (!copies || tile + 1 < inner) {
                cb_pop_front(cb_in, 1);
            }
        }
        tile_regs_commit();
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(1, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        reduce_uninit(cb_in);
        if constexpr (copies) {
            if constexpr (swaps) {
                reconfig_data_format_srca(cb_scaler, cb_in);
            }
            copy_init(cb_in);
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
}

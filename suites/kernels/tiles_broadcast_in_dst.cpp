// Functions of a tile in Dst and of a column, a row or a datum of other tiles there, which the vector unit computes.
// Compile-time arguments: 0 input circular buffer, of which four pages are the data, another tile of data, means and factors;
// 1 output circular buffer, 2 function.
// Runtime arguments: 0 results.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/sfpu_binary_bcast.h"
#include "api/compute/tile_move_copy.h"

enum Function : uint32_t {
    kAddColumn,
    kSubColumn,
    kMulColumn,
    kAddRow,
    kSubRow,
    kMulRow,
    kNormalizeColumns,
    kNormalizeTwoTiles,
    kNormalizeSum,
    kNormalizeDatum,
};

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr Function function = static_cast<Function>(get_compile_time_arg_val(2));
    const uint32_t results = get_arg_val<uint32_t>(0);
    constexpr uint32_t data = 0, others = 1, means = 2, factors = 3;

    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in);
    for (uint32_t result = 0; result < results; ++result) {
        cb_wait_front(cb_in, 4);
        tile_regs_acquire();
        copy_block(cb_in, 0, 0, 4);
        if constexpr (function == kAddColumn) {
            sfpu_add_bcast_col_init();
            sfpu_add_bcast_col(data, means);
        } else if constexpr (function == kSubColumn) {
            sfpu_sub_bcast_col_init();
            sfpu_sub_bcast_col(data, means);
        } else if constexpr (function == kMulColumn) {
            sfpu_bcast_init<BroadcastType::COL>();
            sfpu_bcast<BroadcastType::COL, EltwiseBinaryType::ELWMUL>(data, means);
        } else if constexpr (function == kAddRow) {
            sfpu_bcast_init<BroadcastType::ROW>();
            sfpu_bcast<BroadcastType::ROW, EltwiseBinaryType::ELWADD>(data, means);
        } else if constexpr (function == kSubRow) {
            sfpu_sub_bcast_row_init();
            sfpu_sub_bcast_row(data, means);
        } else if constexpr (function == kMulRow) {
            sfpu_mul_bcast_row_init();
            sfpu_mul_bcast_row(data, means);
        } else if constexpr (function == kNormalizeColumns) {
            sfpu_bcast_col_init();
            sfpu_normalize_bcast_col(data, means, factors);
        } else if constexpr (function == kNormalizeTwoTiles) {
            sfpu_bcast_col_init();
            sfpu_normalize_bcast_col_two_tiles(data, others, means, factors);
        } else if constexpr (function == kNormalizeSum) {
            sfpu_bcast_col_init();
            sfpu_residual_normalize_bcast_col(data, others, means, factors);
        } else {
            sfpu_normalize_bcast_scalar_init();
            sfpu_normalize_bcast_scalar(data, means, factors);
        }
        tile_regs_commit();
        cb_pop_front(cb_in, 4);
        cb_reserve_back(cb_out, 2);
        tile_regs_wait();
        pack_tile(data, cb_out);
        pack_tile(others, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 2);
    }
}

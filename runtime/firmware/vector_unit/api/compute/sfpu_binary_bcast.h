// Sums, differences and products of a tile in Dst and a column or row of another one, in place, with a Dst of 32 bits.
#pragma once

#include <type_traits>

#include "hallmark/vector_functions.h"
#include "llk_defs.h"
#ifdef TRISC_MATH
#include "hallmark/arithmetic.h"
#include "hallmark/broadcasts.h"
#endif

namespace hallmark {

template <bool kIsWide = kWide>
ALWI void check_wide_broadcast(uint32_t data, uint32_t other) {
    static_assert(kIsWide, "these functions need fp32_dest_acc_en");
    check_tile_in_dst(data);
    check_tile_in_dst(other);
}

#ifdef TRISC_MATH
template <EltwiseBinaryType kOperation>
using FunctionOfTiles = std::conditional_t<
    kOperation == EltwiseBinaryType::ELWADD, SumOfTiles,
    std::conditional_t<kOperation == EltwiseBinaryType::ELWSUB, DifferenceOfTiles, ProductOfTiles>>;
#endif

template <BroadcastType kDimension, EltwiseBinaryType kOperation>
ALWI void combine_with_part(uint32_t data, uint32_t other) {
    check_wide_broadcast(data, other);
    MATH({
        if constexpr (kDimension == BroadcastType::COL) {
            HALLMARK_NEEDS_LEFT(sfpu_bcast of a column, sfpu_bcast_init<BroadcastType::COL>, column_program());
            combine_with_column<FunctionOfTiles<kOperation>>(data, other);
            leave(column_program());
        } else {
            combine_with_row<FunctionOfTiles<kOperation>>(data, other);
        }
    })
}

}  // namespace hallmark

namespace ckernel {

template <BroadcastType Dim>
ALWI void sfpu_bcast_init() {
    static_assert(Dim == BroadcastType::COL || Dim == BroadcastType::ROW, "COL or ROW");
    MATH(HALLMARK_LEAVE_BY_INIT(Dim == BroadcastType::COL ? column_program() : nothing());)
}

template <BroadcastType Dim, EltwiseBinaryType Op, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_bcast(uint32_t dst_data_idx, uint32_t dst_bcast_idx) {
    static_assert(Dim == BroadcastType::COL || Dim == BroadcastType::ROW, "COL or ROW");
    static_assert(
        Op == EltwiseBinaryType::ELWADD || Op == EltwiseBinaryType::ELWSUB || Op == EltwiseBinaryType::ELWMUL,
        "ELWADD, ELWSUB or ELWMUL");
    hallmark::combine_with_part<Dim, Op>(dst_data_idx, dst_bcast_idx);
}

ALWI void sfpu_bcast_col_init() { sfpu_bcast_init<BroadcastType::COL>(); }
ALWI void sfpu_add_bcast_col_init() { sfpu_bcast_col_init(); }
ALWI void sfpu_sub_bcast_col_init() { sfpu_bcast_col_init(); }
ALWI void sfpu_mul_bcast_col_init() { sfpu_bcast_col_init(); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_add_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx) {
    sfpu_bcast<BroadcastType::COL, EltwiseBinaryType::ELWADD>(dst_data_idx, dst_col_vec_idx);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_sub_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx) {
    sfpu_bcast<BroadcastType::COL, EltwiseBinaryType::ELWSUB>(dst_data_idx, dst_col_vec_idx);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_mul_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx) {
    sfpu_bcast<BroadcastType::COL, EltwiseBinaryType::ELWMUL>(dst_data_idx, dst_col_vec_idx);
}

ALWI void sfpu_bcast_row_init() { sfpu_bcast_init<BroadcastType::ROW>(); }
ALWI void sfpu_add_bcast_row_init() { sfpu_bcast_row_init(); }
ALWI void sfpu_sub_bcast_row_init() { sfpu_bcast_row_init(); }
ALWI void sfpu_mul_bcast_row_init() { sfpu_bcast_row_init(); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_add_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx) {
    sfpu_bcast<BroadcastType::ROW, EltwiseBinaryType::ELWADD>(dst_data_idx, dst_row_vec_idx);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_sub_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx) {
    sfpu_bcast<BroadcastType::ROW, EltwiseBinaryType::ELWSUB>(dst_data_idx, dst_row_vec_idx);
}
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_mul_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx) {
    sfpu_bcast<BroadcastType::ROW, EltwiseBinaryType::ELWMUL>(dst_data_idx, dst_row_vec_idx);
}

// The difference from column 0 of a tile of means, times column 0 of a tile of reciprocal deviations.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_normalize_bcast_col(uint32_t dst_data_idx, uint32_t dst_mean_col_idx, uint32_t dst_inv_std_col_idx) {
    hallmark::check_wide_broadcast<is_fp32_dest_acc_en>(dst_data_idx, dst_mean_col_idx);
    hallmark::check_tile_in_dst(dst_inv_std_col_idx);
    MATH(HALLMARK_NEEDS_LEFT(sfpu_normalize_bcast_col, sfpu_bcast_col_init, column_program());)
    MATH((hallmark::normalize_with_columns<false>(dst_data_idx, 0, dst_mean_col_idx, dst_inv_std_col_idx)));
    MATH(HALLMARK_LEAVE(column_program());)
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_normalize_bcast_col_two_tiles(
    uint32_t dst_data_idx, uint32_t dst_second_data_idx, uint32_t dst_mean_col_idx, uint32_t dst_inv_std_col_idx) {
    sfpu_normalize_bcast_col<is_fp32_dest_acc_en>(dst_data_idx, dst_mean_col_idx, dst_inv_std_col_idx);
    sfpu_normalize_bcast_col<is_fp32_dest_acc_en>(dst_second_data_idx, dst_mean_col_idx, dst_inv_std_col_idx);
}

// The same of the sum with another tile.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_residual_normalize_bcast_col(
    uint32_t dst_data_idx, uint32_t dst_residual_idx, uint32_t dst_mean_col_idx, uint32_t dst_inv_std_col_idx) {
    hallmark::check_wide_broadcast<is_fp32_dest_acc_en>(dst_data_idx, dst_mean_col_idx);
    hallmark::check_tile_in_dst(dst_residual_idx);
    hallmark::check_tile_in_dst(dst_inv_std_col_idx);
    MATH(HALLMARK_NEEDS_LEFT(sfpu_residual_normalize_bcast_col, sfpu_bcast_col_init, column_program());)
    MATH((hallmark::normalize_with_columns<true>(
        dst_data_idx, dst_residual_idx, dst_mean_col_idx, dst_inv_std_col_idx)));
    MATH(HALLMARK_LEAVE(column_program());)
}

// The same with the first datum of both tiles.
ALWI void sfpu_normalize_bcast_scalar_init() { MATH((hallmark::prepare_vectors())); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_normalize_bcast_scalar(
    uint32_t dst_data_idx, uint32_t dst_mean_scalar_idx, uint32_t dst_inv_std_scalar_idx) {
    hallmark::check_wide_broadcast<is_fp32_dest_acc_en>(dst_data_idx, dst_mean_scalar_idx);
    hallmark::check_tile_in_dst(dst_inv_std_scalar_idx);
    MATH((hallmark::normalize_with_data(dst_data_idx, dst_mean_scalar_idx, dst_inv_std_scalar_idx)));
    MATH(HALLMARK_LEAVE(constant(2, Content::kOther));)
}

}  // namespace ckernel

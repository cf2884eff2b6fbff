// Functions of two tiles in Dst, datum by datum.
#pragma once

#include "ckernel_defs.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/arithmetic.h"
#include "hallmark/logarithm.h"
#include "hallmark/selection.h"

namespace hallmark {

// A sum or a difference, which TT-Metalium rounds only when it is told to.
template <typename Function, ckernel::DstRoundingMode kMode>
FORCE_INLINE void add_or_subtract(uint32_t first, uint32_t second, uint32_t result) {
    if constexpr (kMode == ckernel::DstRoundingMode::NearestEven) {
        combine_tiles<Function>(first, second, result);
    } else {
        combine_tiles_exactly<Function>(first, second, result);
    }
}

}  // namespace hallmark
#endif

namespace ckernel {

ALWI void add_binary_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::add_or_subtract<hallmark::SumOfTiles, dst_rounding_mode>(idst0, idst1, odst)));
}

ALWI void sub_binary_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::add_or_subtract<hallmark::DifferenceOfTiles, dst_rounding_mode>(idst0, idst1, odst)));
}

ALWI void mul_binary_tile_init() { MATH((hallmark::prepare_vectors())); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::combine_tiles<hallmark::ProductOfTiles>(idst0, idst1, odst)));
}

ALWI void div_binary_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(reciprocal_constants());) }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void div_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(div_binary_tile, div_binary_tile_init, reciprocal_constants());)
    MATH((hallmark::combine_tiles<hallmark::QuotientOfTiles>(idst0, idst1, odst)));
}

ALWI void rsub_binary_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::add_or_subtract<hallmark::TurnedDifferenceOfTiles, dst_rounding_mode>(idst0, idst1, odst)));
}

ALWI void power_binary_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(power_of_tiles_constants());) }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void power_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(power_binary_tile, power_binary_tile_init, power_of_tiles_constants());)
    MATH((hallmark::combine_tiles<hallmark::PowerOfTiles>(idst0, idst1, odst)));
}

ALWI void ne_binary_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void ne_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(ne_binary_tile, ne_binary_tile_init, comparison_program());)
    MATH((hallmark::combine_tiles<hallmark::Compared<hallmark::Order::NotEqual>>(idst0, idst1, odst)));
}

ALWI void eq_binary_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void eq_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(eq_binary_tile, eq_binary_tile_init, comparison_program());)
    MATH((hallmark::combine_tiles<hallmark::Compared<hallmark::Order::Equal>>(idst0, idst1, odst)));
}

ALWI void gt_binary_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void gt_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(gt_binary_tile, gt_binary_tile_init, comparison_program());)
    MATH((hallmark::combine_tiles<hallmark::Compared<hallmark::Order::Greater>>(idst0, idst1, odst)));
}

ALWI void ge_binary_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void ge_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(ge_binary_tile, ge_binary_tile_init, comparison_program());)
    MATH((hallmark::combine_tiles<hallmark::Compared<hallmark::Order::GreaterOrEqual>>(idst0, idst1, odst)));
}

ALWI void lt_binary_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void lt_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(lt_binary_tile, lt_binary_tile_init, comparison_program());)
    MATH((hallmark::combine_tiles<hallmark::Compared<hallmark::Order::Less>>(idst0, idst1, odst)));
}

ALWI void le_binary_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void le_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(le_binary_tile, le_binary_tile_init, comparison_program());)
    MATH((hallmark::combine_tiles<hallmark::Compared<hallmark::Order::LessOrEqual>>(idst0, idst1, odst)));
}

}  // namespace ckernel

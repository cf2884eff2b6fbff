// A scalar, the bits of a float, divided by the numbers of a tile.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/whole_numbers.h"
#endif

namespace ckernel {

enum class RoundingMode { None, Trunc, Floor };

ALWI void rdiv_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(reciprocal_constants_unless(APPROX));) }

template <RoundingMode rounding_mode = RoundingMode::None, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rdiv_tile(uint32_t dst_index, uint32_t value, VectorMode vector_mode = VectorMode::RC) {
    hallmark::check_tile_in_dst(dst_index);
    MATH(HALLMARK_NEEDS_LEFT(rdiv_tile, rdiv_tile_init, reciprocal_constants_unless(APPROX));)
    MATH({
        if constexpr (rounding_mode == RoundingMode::Trunc) {
            hallmark::map_tile<hallmark::WholeQuotientOfScalar<hallmark::Truncated>>(dst_index, vector_mode, value);
        } else if constexpr (rounding_mode == RoundingMode::Floor) {
            hallmark::map_tile<hallmark::WholeQuotientOfScalar<hallmark::Floor>>(dst_index, vector_mode, value);
        } else {
            hallmark::map_tile<hallmark::QuotientOfScalar>(dst_index, vector_mode, value);
        }
    })
}

}  // namespace ckernel

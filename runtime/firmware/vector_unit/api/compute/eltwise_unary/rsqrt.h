// Reciprocals of square roots.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/reciprocal.h"
#endif

namespace ckernel {

enum class RsqrtMode { Default, Fast };

ALWI void rsqrt_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(root_constants(APPROX));) }

template <RsqrtMode mode = RsqrtMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsqrt_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(rsqrt_tile, rsqrt_tile_init, root_constants(APPROX));)
    MATH((hallmark::map_tile<hallmark::ReciprocalRoot>(idst, VectorMode::RC)));
}

}  // namespace ckernel

// Reciprocals of square roots.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/reciprocal.h"
#endif

namespace ckernel {

enum class RsqrtMode { Default, Fast };

ALWI void rsqrt_tile_init() { MATH((hallmark::prepare_vectors())); }

template <RsqrtMode mode = RsqrtMode::Default, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsqrt_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::ReciprocalRoot>(idst, VectorMode::RC)));
}

}  // namespace ckernel

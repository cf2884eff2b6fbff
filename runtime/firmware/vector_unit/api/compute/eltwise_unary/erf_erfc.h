// The error function and its complement.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/error_function.h"
#endif

namespace ckernel {

template <bool fast_and_approx = true>
ALWI void erf_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(reciprocal_constants_unless(fast_and_approx));) }

template <bool fast_and_approx = true>
ALWI void erf_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(erf_tile, erf_tile_init, reciprocal_constants_unless(fast_and_approx));)
    MATH((hallmark::map_tile<hallmark::ErrorFunction>(idst, VectorMode::RC)));
}

ALWI void erfc_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(reciprocal_constants_unless(true));) }

ALWI void erfc_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(erfc_tile, erfc_tile_init, reciprocal_constants_unless(true));)
    MATH((hallmark::map_tile<hallmark::ComplementOfErrorFunction>(idst, VectorMode::RC)));
}

}  // namespace ckernel

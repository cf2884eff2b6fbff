// The error function and its complement.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/error_function.h"
#endif

namespace ckernel {

template <bool fast_and_approx = true>
ALWI void erf_tile_init() { MATH((hallmark::prepare_vectors())); }

template <bool fast_and_approx = true>
ALWI void erf_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::ErrorFunction>(idst, VectorMode::RC)));
}

ALWI void erfc_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void erfc_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::ComplementOfErrorFunction>(idst, VectorMode::RC)));
}

}  // namespace ckernel

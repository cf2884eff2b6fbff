// A value for numbers up to a threshold, both the bits of floats.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/selection.h"
#endif

namespace ckernel {

ALWI void threshold_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void threshold_tile(uint32_t idst, uint32_t param0, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Threshold>(idst, VectorMode::RC, param0, param1)));
}

}  // namespace ckernel

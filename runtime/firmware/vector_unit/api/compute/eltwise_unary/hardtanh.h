// Numbers within two bounds, the bits of floats.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/selection.h"
#endif

namespace ckernel {

ALWI void hardtanh_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void hardtanh_tile(uint32_t idst, uint32_t param0, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Clamped>(idst, VectorMode::RC, param0, param1)));
}

}  // namespace ckernel

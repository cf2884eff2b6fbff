// Numbers below 0 times a factor, the bits of a float.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/selection.h"
#endif

namespace ckernel {

ALWI void prelu_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void prelu_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::Leaky>(idst, VectorMode::RC, param0)));
}

}  // namespace ckernel

// The logarithm of the sigmoid function.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/softplus.h"
#endif

namespace ckernel {

ALWI void logsigmoid_tile_init() { MATH((hallmark::prepare_vectors())); }

// The second tile is exp(-x).
ALWI void logsigmoid_tile(uint32_t idst_in0, uint32_t idst_in1, uint32_t idst_out) {
    hallmark::check_tiles_in_dst(idst_in0, idst_in1, idst_out);
    MATH((hallmark::combine_tiles<hallmark::LogSigmoid>(idst_in0, idst_in1, idst_out)));
}

}  // namespace ckernel

// Scaled exponential linear units. Scalars are the bits of floats.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/activations.h"
#endif

namespace ckernel {

ALWI void selu_tile_init() { MATH((hallmark::prepare_vectors())); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void selu_tile(uint32_t idst, uint32_t scale, uint32_t alpha) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Selu>(idst, VectorMode::RC, scale, alpha)));
}

}  // namespace ckernel

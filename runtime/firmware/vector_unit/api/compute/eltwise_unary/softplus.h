// log(1 + exp(beta x)) / beta. Scalars are the bits of floats.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/softplus.h"
#endif

namespace ckernel {

ALWI void softplus_tile_init() { MATH((hallmark::prepare_vectors())); }

// Where beta x is above the threshold, the result is x.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void softplus_tile(uint32_t idst, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Softplus>(idst, VectorMode::RC, beta, beta_reciprocal, threshold)));
}

}  // namespace ckernel

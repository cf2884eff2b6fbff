// Activation functions. Scalars are the bits of a float.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/activations.h"
#endif

namespace ckernel {

ALWI void hardsigmoid_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(hard_sigmoid_constants());) }

ALWI void hardsigmoid_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(hardsigmoid_tile, hardsigmoid_tile_init, hard_sigmoid_constants());)
    MATH((hallmark::map_tile<hallmark::HardSigmoid>(idst, VectorMode::RC)));
}

ALWI void softsign_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(reciprocal_constants_unless(APPROX));) }

ALWI void softsign_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(softsign_tile, softsign_tile_init, reciprocal_constants_unless(APPROX));)
    MATH((hallmark::map_tile<hallmark::Softsign>(idst, VectorMode::RC)));
}

ALWI void celu_tile_init() { MATH((hallmark::prepare_vectors())); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void celu_tile(uint32_t idst, uint32_t alpha, uint32_t alpha_recip) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Celu>(idst, VectorMode::RC, alpha, alpha_recip)));
}

ALWI void softshrink_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void softshrink_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::SoftShrink>(idst, VectorMode::RC, param0)));
}

ALWI void hardshrink_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void hardshrink_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::HardShrink>(idst, VectorMode::RC, param0)));
}

}  // namespace ckernel

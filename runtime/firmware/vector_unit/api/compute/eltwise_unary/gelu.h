// Gaussian error linear units.
#pragma once

#include "hallmark/not_computed.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/error_function.h"
#endif

namespace ckernel {

template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void gelu_tile_init() { MATH((hallmark::prepare_vectors())); }

template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void gelu_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Gelu>(idst, VectorMode::RC)));
}

HALLMARK_NOT_COMPUTED(gelu_tanh_tile_init)
HALLMARK_NOT_COMPUTED(gelu_tanh_tile)
HALLMARK_NOT_COMPUTED(gelu_derivative_tile_init)
HALLMARK_NOT_COMPUTED(gelu_derivative_tile)

}  // namespace ckernel

// The derivative of the hyperbolic tangent.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/activations.h"
#endif

namespace ckernel {

template <bool fast_and_approx = false>
ALWI void tanh_derivative_tile_init() {
    MATH(HALLMARK_LEAVE_BY_INIT(on_blackhole(constants(Content::kTanhDerivative)));)
}

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanh_derivative_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(tanh_derivative_tile, tanh_derivative_tile_init, on_blackhole(constants(Content::kTanhDerivative)));)
    MATH((hallmark::map_tile<hallmark::TanhDerivative>(idst, VectorMode::RC)));
}

}  // namespace ckernel

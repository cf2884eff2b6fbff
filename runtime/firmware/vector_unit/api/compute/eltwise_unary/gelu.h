// Gaussian error linear units.
#pragma once

#include "hallmark/not_computed.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/error_function.h"
#endif

namespace ckernel {

template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void gelu_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(gelu_constants(fast_and_approx, is_fp32_dest_acc_en));) }

template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void gelu_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(gelu_tile, gelu_tile_init, gelu_constants(fast_and_approx, is_fp32_dest_acc_en));)
    MATH((hallmark::map_tile<hallmark::Gelu>(idst, VectorMode::RC)));
    MATH(HALLMARK_LEAVE(fast_and_approx ? lower_registers(Content::kTableOfGelu) : nothing());)
}

HALLMARK_NOT_COMPUTED(gelu_tanh_tile_init)
HALLMARK_NOT_COMPUTED(gelu_tanh_tile)
HALLMARK_NOT_COMPUTED(gelu_derivative_tile_init)
HALLMARK_NOT_COMPUTED(gelu_derivative_tile)

}  // namespace ckernel

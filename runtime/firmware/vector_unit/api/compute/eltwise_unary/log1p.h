// Logarithms of 1 + x.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/logarithm.h"
#endif

namespace ckernel {

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log1p_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(logarithm_constants(is_fp32_dest_acc_en));) }

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void log1p_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(log1p_tile, log1p_tile_init, logarithm_constants(is_fp32_dest_acc_en));)
    MATH((hallmark::map_tile<hallmark::LogarithmOfOneMore>(idst, VectorMode::RC)));
}

}  // namespace ckernel

// Exponential linear units. The scalar is the bits of a float.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/activations.h"
#endif

namespace ckernel {

ALWI void elu_tile_init() { MATH((hallmark::prepare_vectors())); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void elu_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Elu>(idst, VectorMode::RC, param0)));
}

}  // namespace ckernel

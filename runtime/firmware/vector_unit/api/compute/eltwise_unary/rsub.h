// A scalar less the numbers of a tile.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/arithmetic.h"
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void rsub_tile_init() { MATH((hallmark::prepare_vectors())); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsub_tile(uint32_t idst, uint32_t scalar) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::ScalarLess>(idst, VectorMode::RC, scalar)));
}

ALWI void rsub_unary_int32_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void rsub_unary_int32_tile(uint32_t idst, uint32_t scalar) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::TurnedDifference>, hallmark::DataLayout::I32>(
        idst, scalar)));
}

}  // namespace ckernel

// Whole numbers beside floats.
#pragma once

#include "hallmark/not_computed.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/whole_numbers.h"
#endif

namespace ckernel {

ALWI void rounding_op_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void ceil_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::Ceiling>(idst, VectorMode::RC)));
}

ALWI void floor_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::Floor>(idst, VectorMode::RC)));
}

ALWI void trunc_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::Truncated>(idst, VectorMode::RC)));
}

ALWI void frac_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Fraction>(idst, VectorMode::RC)));
}

// To a number of decimals. Of a float that two lie equally near, the even one counts.
ALWI void round_tile(uint32_t idst, int32_t decimals) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Rounded>(
        idst, VectorMode::RC, hallmark::power_of_ten(decimals), hallmark::power_of_ten(-decimals))));
}

HALLMARK_NOT_COMPUTED(stochastic_round_tile)

}  // namespace ckernel

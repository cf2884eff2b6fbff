// Numbers with the other sign.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void negative_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void negative_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::Negative>(idst, VectorMode::RC)));
}

ALWI void negative_tile_int32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::NegativeOfInteger, hallmark::DataLayout::I32>(idst)));
}

}  // namespace ckernel

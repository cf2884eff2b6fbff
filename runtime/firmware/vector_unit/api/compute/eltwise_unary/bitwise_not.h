// Integers whose bits are turned.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void bitwise_not_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void bitwise_not_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::Not, hallmark::DataLayout::I32>(idst)));
}

}  // namespace ckernel

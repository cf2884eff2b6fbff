// Tiles as they are.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void identity_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void identity_tile(uint32_t idst) { hallmark::check_tile_in_dst(idst); }

ALWI void identity_tile_uint32(uint32_t idst) { hallmark::check_tile_in_dst(idst); }

}  // namespace ckernel

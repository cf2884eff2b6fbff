// Tiles as they are.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"

namespace hallmark {

struct Same {
    static sfpi_inline vFloat of(vFloat x) { return x; }
};

}  // namespace hallmark
#endif

namespace ckernel {

ALWI void identity_tile_init() { MATH((hallmark::prepare_vectors())); }

// As under TT-Metalium, numbers pass through the vector unit, whose stores make some denormals 0: of 16 bits, and of 32 bits on
// Blackhole (SFPSTORE).
ALWI void identity_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::Same>(idst, VectorMode::RC)));
}

ALWI void identity_tile_uint32(uint32_t idst) { hallmark::check_tile_in_dst(idst); }

}  // namespace ckernel

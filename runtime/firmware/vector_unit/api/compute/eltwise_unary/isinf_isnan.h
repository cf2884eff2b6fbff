// Which numbers are infinite, finite or none: 1, and 0 for the others.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/selection.h"
#endif

namespace ckernel {

ALWI void isinf_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void isinf_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::IsOfKind<hallmark::Kind::Infinity>>(idst, VectorMode::RC)));
}

ALWI void isposinf_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void isposinf_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::IsOfKind<hallmark::Kind::PositiveInfinity>>(idst, VectorMode::RC)));
}

ALWI void isneginf_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void isneginf_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::IsOfKind<hallmark::Kind::NegativeInfinity>>(idst, VectorMode::RC)));
}

ALWI void isnan_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void isnan_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::IsOfKind<hallmark::Kind::Nan>>(idst, VectorMode::RC)));
}

ALWI void isfinite_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void isfinite_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::IsOfKind<hallmark::Kind::Finite>>(idst, VectorMode::RC)));
}

}  // namespace ckernel

// Rectified linear units. Scalars are the bits of a float.
#pragma once

#include "hallmark/not_computed.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void relu_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void relu_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::Rectified>(idst, VectorMode::RC)));
}

ALWI void relu_min_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void relu_min_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::MaximumOfScalar>(idst, VectorMode::RC, param0)));
}

ALWI void relu_max_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void relu_max_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::RectifiedUpTo>(idst, VectorMode::RC, param0)));
    MATH(HALLMARK_LEAVE(on_blackhole(constant(1, Content::kOther)));)
}

ALWI void leaky_relu_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void leaky_relu_tile(uint32_t idst, uint32_t slope = 0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::Leaky>(idst, VectorMode::RC, slope)));
}

ALWI void relu_tile_int32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ExtremeOfIntegers<true, false>>, hallmark::DataLayout::I32>(
        idst, 0)));
}

HALLMARK_NOT_COMPUTED(relu_max_tile_int32)
HALLMARK_NOT_COMPUTED(relu_max_tile_uint32)
HALLMARK_NOT_COMPUTED(relu_max_tile_uint16)
HALLMARK_NOT_COMPUTED(relu_min_tile_int32)
HALLMARK_NOT_COMPUTED(relu_min_tile_uint32)
HALLMARK_NOT_COMPUTED(relu_min_tile_uint16)

}  // namespace ckernel

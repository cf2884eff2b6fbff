// Sines, cosines and tangents.
#pragma once

#include "hallmark/not_computed.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/trigonometric.h"
#endif

namespace ckernel {

ALWI void sin_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(constants(Content::kSine));) }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sin_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(sin_tile, sin_tile_init, constants(Content::kSine));)
    MATH((hallmark::map_tile<hallmark::Sine>(idst, VectorMode::RC)));
}

ALWI void cos_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(constants(Content::kCosine));) }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void cos_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(cos_tile, cos_tile_init, constants(Content::kCosine));)
    MATH((hallmark::map_tile<hallmark::Cosine>(idst, VectorMode::RC)));
}

ALWI void tan_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(constants(Content::kTangent));) }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tan_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(tan_tile, tan_tile_init, constants(Content::kTangent));)
    MATH((hallmark::map_tile<hallmark::Tangent>(idst, VectorMode::RC)));
}

HALLMARK_NOT_COMPUTED(acosh_tile_init)
HALLMARK_NOT_COMPUTED(acosh_tile)
HALLMARK_NOT_COMPUTED(asinh_tile_init)
HALLMARK_NOT_COMPUTED(asinh_tile)
HALLMARK_NOT_COMPUTED(atanh_tile_init)
HALLMARK_NOT_COMPUTED(atanh_tile)
HALLMARK_NOT_COMPUTED(asin_tile)
HALLMARK_NOT_COMPUTED(asin_tile_init)
HALLMARK_NOT_COMPUTED(atan_tile)
HALLMARK_NOT_COMPUTED(atan_tile_init)
HALLMARK_NOT_COMPUTED(acos_tile)
HALLMARK_NOT_COMPUTED(acos_tile_init)
HALLMARK_NOT_COMPUTED(cosh_tile_init)
HALLMARK_NOT_COMPUTED(cosh_tile)
HALLMARK_NOT_COMPUTED(sinh_tile_init)
HALLMARK_NOT_COMPUTED(sinh_tile)

}  // namespace ckernel

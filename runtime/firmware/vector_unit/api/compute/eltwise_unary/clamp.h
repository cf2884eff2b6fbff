// Numbers within two bounds.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void clamp_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void clamp_tile(uint32_t idst, uint32_t param0, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::Clamped>(idst, VectorMode::RC, param0, param1)));
    MATH(HALLMARK_LEAVE(constant(0, Content::kOther));)
}

ALWI void clamp_tile_int32(uint32_t idst, uint32_t param0, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::ClampedInteger, hallmark::DataLayout::I32>(idst, param0, param1)));
    MATH(HALLMARK_LEAVE(constant(0, Content::kOther));)
}

}  // namespace ckernel

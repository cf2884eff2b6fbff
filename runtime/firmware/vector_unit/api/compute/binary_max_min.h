// The larger and the smaller of two tiles, datum by datum.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void binary_max_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kMaximum));) }

ALWI void binary_max_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, VectorMode vector_mode = VectorMode::RC) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(binary_max_tile, binary_max_tile_init, macro_program(Content::kMaximum));)
    MATH((hallmark::combine_tiles<hallmark::Maximum>(idst0, idst1, odst, vector_mode)));
}

ALWI void binary_max_int32_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kMaximumOfInt32));) }

ALWI void binary_max_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(binary_max_int32_tile, binary_max_int32_tile_init, macro_program(Content::kMaximumOfInt32));)
    MATH((hallmark::combine_integers<hallmark::ExtremeOfIntegers<true, false>, hallmark::DataLayout::I32>(
        idst0, idst1, odst)));
    MATH(HALLMARK_LEAVE(replays(Content::kOther));)
}

ALWI void binary_max_uint32_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kMaximumOfUint32));) }

ALWI void binary_max_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(binary_max_uint32_tile, binary_max_uint32_tile_init, macro_program(Content::kMaximumOfUint32));)
    MATH((hallmark::combine_integers<hallmark::ExtremeOfIntegers<true, true>, hallmark::DataLayout::I32>(
        idst0, idst1, odst)));
    MATH(HALLMARK_LEAVE(replays(Content::kOther));)
}

ALWI void binary_min_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kMinimum));) }

ALWI void binary_min_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, VectorMode vector_mode = VectorMode::RC) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(binary_min_tile, binary_min_tile_init, macro_program(Content::kMinimum));)
    MATH((hallmark::combine_tiles<hallmark::Minimum>(idst0, idst1, odst, vector_mode)));
}

ALWI void binary_min_int32_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kMinimumOfInt32));) }

ALWI void binary_min_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(binary_min_int32_tile, binary_min_int32_tile_init, macro_program(Content::kMinimumOfInt32));)
    MATH((hallmark::combine_integers<hallmark::ExtremeOfIntegers<false, false>, hallmark::DataLayout::I32>(
        idst0, idst1, odst)));
    MATH(HALLMARK_LEAVE(replays(Content::kOther));)
}

ALWI void binary_min_uint32_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kMinimumOfUint32));) }

ALWI void binary_min_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(binary_min_uint32_tile, binary_min_uint32_tile_init, macro_program(Content::kMinimumOfUint32));)
    MATH((hallmark::combine_integers<hallmark::ExtremeOfIntegers<false, true>, hallmark::DataLayout::I32>(
        idst0, idst1, odst)));
    MATH(HALLMARK_LEAVE(replays(Content::kOther));)
}

}  // namespace ckernel

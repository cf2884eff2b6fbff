// Sums, differences and products of tiles, element by element.
#pragma once

#include "api/compute/common.h"

#ifdef TRISC_MATH
namespace hallmark {

// Whether sums and differences are added to Dst, as the last init said.
inline bool adds_to_dst;

template <uint32_t OPERATION>
FORCE_INLINE void add_rows(uint32_t index) {
    if (adds_to_dst) {
        combine_rows<OPERATION | kOntoDst>(index);
    } else {
        combine_rows<OPERATION>(index);
    }
}

FORCE_INLINE void prepare_combination(bool adds) {
    prepare_rows<kAllRows>();
    keep_denormals<false>();
    adds_to_dst = adds;
}

}  // namespace hallmark
#endif

namespace ckernel {

ALWI void add_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false) {
    hallmark::check_operands(icb0, icb1);
    UNPACK((hallmark::transpose_faces(false)));
    MATH((hallmark::prepare_combination(acc_to_dest)));
}

ALWI void sub_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false) { add_init(icb0, icb1, acc_to_dest); }

ALWI void mul_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = true) { add_init(icb0, icb1, acc_to_dest); }

ALWI void add_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    hallmark::check_operands(icb0, icb1);
    hallmark::check_tile_in_dst(idst);
    UNPACK((hallmark::unpack_to_both(icb0, itile0, icb1, itile1)));
    MATH((hallmark::add_rows<hallmark::kAdd>(idst)));
}

ALWI void sub_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    hallmark::check_operands(icb0, icb1);
    hallmark::check_tile_in_dst(idst);
    UNPACK((hallmark::unpack_to_both(icb0, itile0, icb1, itile1)));
    MATH((hallmark::add_rows<hallmark::kSubtract>(idst)));
}

// Products are always added to Dst, which is 0 where a section begins.
ALWI void mul_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    hallmark::check_operands(icb0, icb1);
    hallmark::check_tile_in_dst(idst);
    UNPACK((hallmark::unpack_to_both(icb0, itile0, icb1, itile1)));
    MATH((hallmark::combine_rows<hallmark::kMultiply>(idst)));
}

ALWI void add_block(
    uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        add_tiles(icb0, icb1, start_itile0 + tile, start_itile1 + tile, start_idst + tile);
    }
}

ALWI void sub_block(
    uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        sub_tiles(icb0, icb1, start_itile0 + tile, start_itile1 + tile, start_idst + tile);
    }
}

ALWI void mul_block(
    uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        mul_tiles(icb0, icb1, start_itile0 + tile, start_itile1 + tile, start_idst + tile);
    }
}

}  // namespace ckernel

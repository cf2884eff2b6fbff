// Bits of two tiles of integers.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void binary_bitwise_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DataFormat data_format>
ALWI void bitwise_and_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::combine_integers<hallmark::And, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

template <DataFormat data_format>
ALWI void bitwise_or_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::combine_integers<hallmark::Or, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

template <DataFormat data_format>
ALWI void bitwise_xor_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::combine_integers<hallmark::ExclusiveOr, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

}  // namespace ckernel

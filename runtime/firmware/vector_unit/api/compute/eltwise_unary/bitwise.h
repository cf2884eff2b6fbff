// Bits of integers of 32 bits.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void bitwise_and_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DataFormat data_format>
ALWI void bitwise_and_tile(uint32_t idst, uint32_t param0) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::And>, hallmark::layout_of(data_format)>(idst, param0)));
}

ALWI void bitwise_or_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DataFormat data_format>
ALWI void bitwise_or_tile(uint32_t idst, uint32_t param0) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::Or>, hallmark::layout_of(data_format)>(idst, param0)));
}

ALWI void bitwise_xor_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DataFormat data_format>
ALWI void bitwise_xor_tile(uint32_t idst, uint32_t param0) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ExclusiveOr>, hallmark::layout_of(data_format)>(
        idst, param0)));
}

}  // namespace ckernel

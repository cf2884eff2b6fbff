// Integers of 32 bits, shifted.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void left_shift_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DataFormat data_format>
ALWI void left_shift_tile(uint32_t idst, uint32_t param0) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::Shift<true, false, hallmark::BeyondWord::kZero>>, hallmark::layout_of(data_format)>(
        idst, param0)));
}

ALWI void right_shift_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DataFormat data_format>
ALWI void right_shift_tile(uint32_t idst, uint32_t param0) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::Shift<false, data_format == DataFormat::Int32, hallmark::BeyondWord::kAs31>>, hallmark::layout_of(data_format)>(
        idst, param0)));
}

}  // namespace ckernel

// Integers of a tile, shifted by those of another.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void binary_shift_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DataFormat data_format>
ALWI void binary_left_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::is_integer_of_32_bits(data_format), "Int32 or UInt32");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::combine_integers<hallmark::Shift<true, false>, hallmark::DataLayout::I32>(idst0, idst1, odst)));
}

template <DataFormat data_format>
ALWI void binary_right_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::is_integer_of_32_bits(data_format), "Int32 or UInt32");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::combine_integers<hallmark::Shift<false, data_format == DataFormat::Int32>, hallmark::DataLayout::I32>(idst0, idst1, odst)));
}

template <DataFormat data_format>
ALWI void binary_logical_right_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::is_integer_of_32_bits(data_format), "Int32 or UInt32");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::combine_integers<hallmark::Shift<false, false>, hallmark::DataLayout::I32>(idst0, idst1, odst)));
}

}  // namespace ckernel

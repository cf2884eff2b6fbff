// Tiles of one number.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void fill_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void fill_tile(uint32_t idst, float param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::fill_tile_with<hallmark::DataLayout::FSrcB>(idst, __builtin_bit_cast(uint32_t, param0))));
}

template <DataFormat kDataFormat>
ALWI void fill_tile_int(uint32_t idst, uint32_t param0) {
    static_assert(hallmark::is_integer_of_32_bits(kDataFormat), "Int32 or UInt32");
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::fill_tile_with<hallmark::DataLayout::I32>(idst, param0)));
}

ALWI void fill_tile_bitcast(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::fill_tile_with<hallmark::DataLayout::FSrcB>(idst, param0)));
}

}  // namespace ckernel

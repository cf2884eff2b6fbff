// Products of integers.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

template <DataFormat data_format>
ALWI void mul_int_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(product_program(data_format == DataFormat::UInt16));) }

template <DataFormat data_format>
ALWI void mul_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(mul_int_tile, mul_int_tile_init, product_program(data_format == DataFormat::UInt16));)
    MATH((hallmark::combine_integers<hallmark::ProductOfIntegers, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

}  // namespace ckernel

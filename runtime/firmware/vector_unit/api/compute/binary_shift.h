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
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::combine_integers<hallmark::Shift<true, false, hallmark::BeyondWord::kZero>, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

template <DataFormat data_format>
ALWI void binary_right_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH({
        constexpr auto beyond = data_format == DataFormat::UInt32 ? hallmark::BeyondWord::kAs31 : hallmark::BeyondWord::kZero;
        hallmark::combine_integers<
            hallmark::Shift<false, data_format == DataFormat::Int32, beyond>, hallmark::layout_of(data_format)>(idst0, idst1, odst);
    })
}

template <DataFormat data_format>
ALWI void binary_logical_right_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH((hallmark::combine_integers<hallmark::Shift<false, false, hallmark::BeyondWord::kZero>, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

}  // namespace ckernel

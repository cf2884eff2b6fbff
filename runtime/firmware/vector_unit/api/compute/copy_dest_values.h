// A tile of Dst as another one.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void copy_dest_values_init() { MATH((hallmark::prepare_vectors())); }

template <DataFormat kDataFormat>
ALWI void copy_dest_values(uint32_t idst_in, uint32_t idst_out) {
    static_assert(
        hallmark::is_integer_of_32_bits(kDataFormat) || hallmark::is_float(kDataFormat), "Int32, UInt32 or a float");
    static_assert(
        kDataFormat != (hallmark::kWide ? DataFormat::Float16_b : DataFormat::Float32),
        "a number in Dst has 32 bits with fp32_dest_acc_en, for Float32, and 16 without, for Float16_b");
    hallmark::check_tile_in_dst(idst_in);
    hallmark::check_tile_in_dst(idst_out);
    MATH((hallmark::copy_tile_in_dst(idst_in, idst_out)));
}

// The name of before, which 0.81.1 still has.
[[deprecated("name the format: copy_dest_values<DataFormat::Float32>(idst_in, idst_out)")]] ALWI void copy_dest_values(
    uint32_t idst_in, uint32_t idst_out) {
    copy_dest_values<hallmark::kWide ? DataFormat::Float32 : DataFormat::Float16_b>(idst_in, idst_out);
}

}  // namespace ckernel

// Other types of data in Dst. Integers have 32 bits, and need a Dst of as many.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
ALWI void typecast_tile_init() { MATH((hallmark::prepare_vectors())); }

// Floats become the integer toward 0, and that at the end of the range beyond it; integers become the nearest float.
template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void typecast_tile(uint32_t idst) {
    constexpr auto from = static_cast<DataFormat>(IN_DTYPE), to = static_cast<DataFormat>(OUT_DTYPE);
    static_assert(
        (hallmark::is_float(from) || hallmark::is_integer_of_32_bits(from)) &&
            (hallmark::is_float(to) || hallmark::is_integer_of_32_bits(to)),
        "Int32, UInt32 or a float");
    static_assert(
        is_fp32_dest_acc_en || (hallmark::is_float(from) && hallmark::is_float(to)), "integers need fp32_dest_acc_en");
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::convert_tile<from, to>(idst)));
}

}  // namespace ckernel

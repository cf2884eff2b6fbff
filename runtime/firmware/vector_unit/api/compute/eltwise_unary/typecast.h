// Other types of data in Dst. Integers have 32 bits there, and need a Dst of as many; of 8 bits, those of UInt8 and of Int8 come from and
// go to circular buffers of uint8.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
ALWI void typecast_tile_init() { MATH((hallmark::prepare_vectors())); }

// Floats become the integer toward 0, and that at the end of the range beyond it, or modulo 256; integers become the nearest float.
template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void typecast_tile(uint32_t idst) {
    constexpr auto from = static_cast<DataFormat>(IN_DTYPE), to = static_cast<DataFormat>(OUT_DTYPE);
    static_assert(
        hallmark::is_converted(from) && hallmark::is_converted(to), "Int32, UInt32, Int8, UInt8 or a float");
    static_assert(
        is_fp32_dest_acc_en || (hallmark::is_float(from) && hallmark::is_float(to)), "integers need fp32_dest_acc_en");
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::convert_tile<from, to>(idst)));
}

}  // namespace ckernel

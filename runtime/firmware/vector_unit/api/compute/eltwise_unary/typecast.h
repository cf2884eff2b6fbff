// Conversions between types of data in Dst. Integers take 32 bits in Dst, so that a kernel that converts them needs
// fp32_dest_acc_en. Data of UInt8 and of Int8 are unpacked from circular buffers of uint8, and packed to those.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

template <uint32_t kInDtype, uint32_t kOutDtype>
ALWI void typecast_tile_init() {
    constexpr auto from = static_cast<DataFormat>(kInDtype), to = static_cast<DataFormat>(kOutDtype);
    MATH(HALLMARK_LEAVE_BY_INIT(left_by_conversion(from, to));)
}

// Floats become the integer toward 0, and that at the end of the range beyond it, or modulo 256; integers become the nearest float.
template <uint32_t kInDtype, uint32_t kOutDtype, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void typecast_tile(uint32_t idst) {
    constexpr auto from = static_cast<DataFormat>(kInDtype), to = static_cast<DataFormat>(kOutDtype);
    static_assert(
        hallmark::is_converted(from) && hallmark::is_converted(to), "Int32, UInt32, Int8, UInt8 or a float");
    static_assert(
        is_fp32_dest_acc_en || (hallmark::is_float(from) && hallmark::is_float(to)), "integers need fp32_dest_acc_en");
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(typecast_tile, typecast_tile_init, needed_by_conversion(from, to));)
    MATH((hallmark::convert_tile<from, to>(idst)));
}

}  // namespace ckernel

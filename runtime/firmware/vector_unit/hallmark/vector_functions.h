// What every header of the vector unit's functions has.
#pragma once

#include "api/compute/common.h"
#include "hallmark/pack_names.h"
#include "hallmark/vector_mode.h"
#ifdef TRISC_MATH
#include "hallmark/vector_thread.h"
#endif

namespace hallmark {

constexpr bool is_integer_of_32_bits(DataFormat format) {
    return format == DataFormat::Int32 || format == DataFormat::UInt32;
}
// Integers that a Dst of the kernel's width holds.
constexpr bool fits_dst(DataFormat format) {
    return is_integer_of_32_bits(format) ? kWide : format == DataFormat::UInt16 && !kWide;
}
constexpr bool is_float(DataFormat format) {
    return format == DataFormat::Float32 || format == DataFormat::Tf32 || format == DataFormat::Float16 ||
           format == DataFormat::Float16_b || is_block(format);
}

// What typecasts know.
constexpr bool is_converted(DataFormat format) {
    return is_float(format) || is_integer_of_32_bits(format) || is_byte(format);
}

ALWI void check_tiles_in_dst(uint32_t one, uint32_t other, uint32_t third) {
    check_tile_in_dst(one);
    check_tile_in_dst(other);
    check_tile_in_dst(third);
}

}  // namespace hallmark

// Floats by their bits.
#pragma once

// Kernels expect what upstream's headers bring along.
#include <algorithm>

#include <stdint.h>

inline constexpr uint32_t NEG_INF_FLOAT32 = 0xFF800000;
inline constexpr uint32_t POS_INF_FLOAT32 = 0x7F800000;
inline constexpr uint32_t NAN_FLOAT32 = 0x7FFFFFFF;
inline constexpr uint32_t FLOAT32_SIGN_MASK = 0x80000000;
inline constexpr uint32_t FLOAT32_EXPONENT_MASK = 0x7F800000;
inline constexpr uint32_t FLOAT32_MANTISSA_MASK = 0x007FFFFF;
inline constexpr uint32_t FLOAT32_MAGNITUDE_MASK = 0x7FFFFFFF;

// As IEEE 754 has it: no number is greater than NaN, nor less, and both zeros are the same.
inline bool float32_greater(uint32_t f32_a, uint32_t f32_b) {
    const uint32_t a = f32_a & FLOAT32_MAGNITUDE_MASK;
    const uint32_t b = f32_b & FLOAT32_MAGNITUDE_MASK;
    if (a > FLOAT32_EXPONENT_MASK || b > FLOAT32_EXPONENT_MASK || (a == 0 && b == 0)) {
        return false;
    }
    const bool a_is_negative = f32_a & FLOAT32_SIGN_MASK;
    const bool b_is_negative = f32_b & FLOAT32_SIGN_MASK;
    if (a_is_negative != b_is_negative) {
        return b_is_negative;
    }
    return a_is_negative ? f32_a < f32_b : f32_a > f32_b;
}

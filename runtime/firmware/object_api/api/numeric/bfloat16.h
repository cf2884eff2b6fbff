// Numbers of 16 bits: the upper half of a float.
#pragma once

// Kernels expect what upstream's headers bring along.
#include <algorithm>

#include <stdint.h>

#include "hallmark/kernel_state.h"

inline constexpr uint16_t NEG_INF_BFLOAT16 = 0xFF80;
inline constexpr uint16_t POS_INF_BFLOAT16 = 0x7F80;
inline constexpr uint16_t NAN_BFLOAT16 = 0x7FFF;
inline constexpr uint16_t BFLOAT16_SIGN_MASK = 0x8000;
inline constexpr uint16_t BFLOAT16_EXPONENT_MASK = 0x7F80;
inline constexpr uint16_t BFLOAT16_MANTISSA_MASK = 0x007F;
inline constexpr uint16_t BFLOAT16_MAGNITUDE_MASK = 0x7FFF;

FORCE_INLINE float bf16_to_fp32(uint16_t bf16) { return __builtin_bit_cast(float, uint32_t{bf16} << 16); }

// To the nearest, ties to even.
FORCE_INLINE uint16_t fp32_to_bf16(float x) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x);
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

FORCE_INLINE uint16_t fp32_to_bf16_truncate(float x) { return __builtin_bit_cast(uint32_t, x) >> 16; }

struct FloatBits {
    uint16_t high16;
    uint16_t low16;

    explicit FloatBits(float value)
        : high16(__builtin_bit_cast(uint32_t, value) >> 16), low16(__builtin_bit_cast(uint32_t, value) & 0xFFFF) {}
};

// Compares bits: of two negative numbers the one with the smaller magnitude is greater.
inline bool bfloat16_greater(uint16_t bf16_a, uint16_t bf16_b) {
    const bool a_is_negative = bf16_a & BFLOAT16_SIGN_MASK;
    const bool b_is_negative = bf16_b & BFLOAT16_SIGN_MASK;
    if (a_is_negative != b_is_negative) {
        return b_is_negative;
    }
    return a_is_negative ? bf16_a < bf16_b : bf16_a > bf16_b;
}

// Products, and divisions by constants, for which the compiler multiplies.
#pragma once

#include "hallmark/kernel_state.h"

FORCE_INLINE unsigned int mulsi3(unsigned int a, unsigned int b) { return a * b; }

template <uint32_t d>
FORCE_INLINE uint32_t udivsi3_const_divisor(uint32_t n) {
    return n / d;
}

template <uint32_t d>
FORCE_INLINE uint32_t umodsi3_const_divisor(uint32_t a) {
    return a % d;
}

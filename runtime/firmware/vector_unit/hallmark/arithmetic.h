// Sums, differences, products and quotients of floats.
#pragma once

#include "hallmark/whole_numbers.h"

namespace hallmark {

struct SumOfTiles {
    static sfpi_inline vFloat of(vFloat a, vFloat b) { return a + b; }
};
struct DifferenceOfTiles {
    static sfpi_inline vFloat of(vFloat a, vFloat b) { return a - b; }
};
struct TurnedDifferenceOfTiles {
    static sfpi_inline vFloat of(vFloat a, vFloat b) { return b - a; }
};
struct ProductOfTiles {
    static sfpi_inline vFloat of(vFloat a, vFloat b) { return a * b; }
};
struct QuotientOfTiles {
    static sfpi_inline vFloat of(vFloat a, vFloat b) { return quotient(a, b); }
};
struct SumWithScalar {
    static sfpi_inline vFloat of(vFloat x, uint32_t scalar) { return x + HALLMARK_FLOAT(scalar); }
};
struct DifferenceFromScalar {
    static sfpi_inline vFloat of(vFloat x, uint32_t scalar) { return x - HALLMARK_FLOAT(scalar); }
};
struct ProductWithScalar {
    static sfpi_inline vFloat of(vFloat x, uint32_t scalar) { return x * HALLMARK_FLOAT(scalar); }
};
struct ScalarLess {
    static sfpi_inline vFloat of(vFloat x, uint32_t scalar) { return HALLMARK_FLOAT(scalar) - x; }
};

// Products of so many equal factors.
struct WholePower {
    static sfpi_inline vFloat of(vFloat x, uint32_t exponent) {
        vFloat result = 1.0f;
        for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
            if (bit <= exponent) {
                result = result * result;
                if ((exponent & bit) != 0) {
                    result = result * x;
                }
            }
        }
        return result;
    }
};

}  // namespace hallmark

// Floats as the whole numbers beside them. All but a rounding to decimals are exact.
#pragma once

#include "hallmark/reciprocal.h"

namespace hallmark {

// The nearest whole number, of two the even one. From 2^23 on a float is one itself.
sfpi_inline vFloat nearest(vFloat x) {
    vFloat magnitude = sfpi::abs(x);
    vFloat result = (magnitude + 0x1p23f) - 0x1p23f;
    v_if(sfpi::exexp(x, sfpi::ExponentMode::Biased) >= 150) { result = magnitude; }
    v_endif;
    return sfpi::copysgn(result, x);
}

struct Floor {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat result = nearest(x);
        v_if(x - result < 0.0f) { result = result - 1.0f; }
        v_endif;
        return result;
    }
};
struct Ceiling {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat result = nearest(x);
        v_if(result - x < 0.0f) { result = result + 1.0f; }
        v_endif;
        // Between -1 and 0, it is -0.
        return sfpi::copysgn(result, x);
    }
};
sfpi_inline vFloat truncated(vFloat x) {
    vFloat magnitude = sfpi::abs(x);
    vFloat result = sfpi::abs(nearest(x));
    v_if(magnitude - result < 0.0f) { result = result - 1.0f; }
    v_endif;
    return sfpi::copysgn(result, x);
}
struct Truncated {
    static sfpi_inline vFloat of(vFloat x) { return truncated(x); }
};
struct Fraction {
    static sfpi_inline vFloat of(vFloat x) { return x - truncated(x); }
};

// The bits of a power of 10, as the core finds them: the nearest float from 10^-10 to 10^10.
constexpr uint32_t power_of_ten(int32_t exponent) {
    constexpr float powers[] = {1e-10f, 1e-9f, 1e-8f, 1e-7f, 1e-6f, 1e-5f, 1e-4f, 1e-3f, 1e-2f, 1e-1f, 1e0f,
                                1e1f,   1e2f,  1e3f,  1e4f,  1e5f,  1e6f,  1e7f,  1e8f,  1e9f,  1e10f};
    return __builtin_bit_cast(uint32_t, powers[exponent < -10 ? 0 : exponent > 10 ? 20 : exponent + 10]);
}

struct Rounded {
    static sfpi_inline vFloat of(vFloat x, uint32_t power, uint32_t reciprocal) {
        vFloat result = nearest(x * HALLMARK_FLOAT(power)) * HALLMARK_FLOAT(reciprocal);
        // What has no places to round, or no finite product, stays as it is.
        v_if(sfpi::exexp(x, sfpi::ExponentMode::Biased) >= 150) { result = x; }
        v_endif;
        return result;
    }
};

struct QuotientOfScalar {
    static sfpi_inline vFloat of(vFloat x, uint32_t scalar) { return quotient(HALLMARK_FLOAT(scalar), x); }
};
template <typename Whole>
struct WholeQuotientOfScalar {
    static sfpi_inline vFloat of(vFloat x, uint32_t scalar) {
        return Whole::of(quotient(HALLMARK_FLOAT(scalar), x));
    }
};

}  // namespace hallmark

// Powers of e and functions made of them.
#pragma once

#include "hallmark/reciprocal.h"

namespace hallmark {

// The sum whose last bits are a whole number: 1.5 · 2^23.
inline constexpr float kWholeOffset = 0x1.8p23f;
inline constexpr int32_t kWholeOffsetBits = 0x4B400000;

// A whole number below 2^22 as a float, and a float that is one as an integer.
sfpi_inline vFloat float_of_whole(vInt whole) { return sfpi::as<vFloat>(whole + kWholeOffsetBits) - kWholeOffset; }

// A number as a multiple of ln 2 and what is left, which is at most half of ln 2. The upper part of ln 2 has 16 bits, so that its
// multiples are exact.
struct Reduced {
    vInt multiple;
    vFloat rest;
};
sfpi_inline Reduced reduced_by_ln2(vFloat x) {
    vFloat sum = x * 0x1.715476p0f + kWholeOffset;
    vInt multiple = sfpi::as<vInt>(sum) - kWholeOffsetBits;
    vFloat whole = sum - kWholeOffset;
    vFloat rest = whole * -0x1.62e4p-1f + x;
    rest = whole * -0x1.7f7d1cp-20f + rest;
    return {multiple, rest};
}

// e^x - 1 for x up to half of ln 2: x and its square times a polynomial of least relative error (3e-9).
sfpi_inline vFloat small_exponential_less_one(vFloat x) {
    vFloat p = sfpi::polynomial(x, 0.50000001f, 0.166665156f, 0.0416661962f, 0.00836927928f, 0.00139511375f);
    vFloat square = x * x;
    return square * p + x;
}

// A positive float times a power of 2: 0 below the normal numbers.
sfpi_inline vFloat times_power_of_two(vFloat value, vInt power) {
    vInt exponent = sfpi::exexp(value, sfpi::ExponentMode::Biased) + power;
    vFloat result = sfpi::setexp(value, exponent);
    v_if(exponent < 1) { result = 0.0f; }
    v_endif;
    return result;
}

sfpi_inline vFloat exponential(vFloat x) {
    // Beyond are infinity and 0.
    Reduced reduced = reduced_by_ln2(sfpi::max(sfpi::min(x, 89.0f), -89.0f));
    vFloat result = times_power_of_two(small_exponential_less_one(reduced.rest) + 1.0f, reduced.multiple);
    v_if(x > 0x1.62e42ep6f) { result = HALLMARK_FLOAT(kInfinity); }
    v_endif;
    return unless_nan(x, result);
}

// e^(x + y) of a negative x and a small y.
sfpi_inline vFloat exponential_of_sum(vFloat x, vFloat y) {
    Reduced reduced = reduced_by_ln2(x);
    return times_power_of_two(small_exponential_less_one(reduced.rest + y) + 1.0f, reduced.multiple);
}

sfpi_inline vFloat exponential_less_one(vFloat x) {
    Reduced reduced = reduced_by_ln2(sfpi::max(sfpi::min(x, 88.0f), -20.0f));
    vFloat small = small_exponential_less_one(reduced.rest);
    vFloat power = sfpi::setexp(vFloat(1.0f), reduced.multiple + 127);
    vFloat result = small * power + (power - 1.0f);
    v_if(x > 0x1.6p6f) { result = exponential(x); }
    v_endif;
    return unless_nan(x, result);
}

struct Exponential {
    static sfpi_inline vFloat of(vFloat x) { return exponential(x); }
};
struct ScaledExponential {
    static sfpi_inline vFloat of(vFloat x, uint32_t scale) { return exponential(x * HALLMARK_FLOAT(scale)); }
};
struct ExponentialLessOne {
    static sfpi_inline vFloat of(vFloat x) { return exponential_less_one(x); }
};
struct PowerOfTwo {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat bounded = sfpi::max(sfpi::min(x, 129.0f), -129.0f);
        vFloat sum = bounded + kWholeOffset;
        vInt multiple = sfpi::as<vInt>(sum) - kWholeOffsetBits;
        vFloat rest = bounded - (sum - kWholeOffset);
        vFloat result =
            times_power_of_two(small_exponential_less_one(rest * 0x1.62e43p-1f) + 1.0f, multiple);
        v_if(x >= 128.0f) { result = HALLMARK_FLOAT(kInfinity); }
        v_endif;
        return unless_nan(x, result);
    }
};

// 1 / (1 + e^-x), by the exponential of a negative number, of which nothing overflows.
sfpi_inline vFloat sigmoid(vFloat x) {
    vFloat power = exponential(sfpi::setsgn(x, 1));
    vFloat result = reciprocal_of_normal(power + 1.0f);
    v_if(x < 0.0f) { result = result * power; }
    v_endif;
    return unless_nan(x, result);
}
struct Sigmoid {
    static sfpi_inline vFloat of(vFloat x) { return sigmoid(x); }
};
// Of a negative number, the power of 2 is the last factor: without the number it may be below the normal ones.
struct Silu {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat magnitude = sfpi::min(sfpi::abs(x), 120.0f);
        Reduced reduced = reduced_by_ln2(-magnitude);
        vFloat power = small_exponential_less_one(reduced.rest) + 1.0f;
        vFloat share = reciprocal_of_normal(times_power_of_two(power, reduced.multiple) + 1.0f);
        vFloat result = x * share;
        v_if(x < 0.0f) { result = -times_power_of_two((share * power) * magnitude, reduced.multiple); }
        v_endif;
        return unless_nan(x, result);
    }
};
struct Tanh {
    static sfpi_inline vFloat of(vFloat x) {
        // Above, the result is 1.
        vFloat magnitude = sfpi::min(sfpi::abs(x), 10.0f);
        Reduced reduced = reduced_by_ln2(magnitude + magnitude);
        vFloat power = sfpi::setexp(vFloat(1.0f), reduced.multiple + 127);
        vFloat less_one = small_exponential_less_one(reduced.rest) * power + (power - 1.0f);
        vFloat result = less_one * reciprocal_of_normal(less_one + 2.0f);
        return unless_nan(x, sfpi::copysgn(result, x));
    }
};

}  // namespace hallmark

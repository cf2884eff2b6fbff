// The error function, and functions made of it.
#pragma once

#include "hallmark/exponential.h"

namespace hallmark {

// erf x / x by the square of an x up to 1, with the least relative error (3e-11).
sfpi_inline vFloat error_over_argument(vFloat square) {
    return sfpi::polynomial(
        square, 1.12837917f, -0.376126384f, 0.11283782f, -0.0268654001f, 0.00522094547f, -0.000848282932f,
        0.000112569513f, -9.64152538e-06f);
}

// (1 - erf x) e^(x²) for an x from 0.46 to 11: t = 1 / (1 + 0.4 x) times a polynomial of t of least relative error
// (2e-10).
sfpi_inline vFloat scaled_complement(vFloat x) {
    vFloat t = reciprocal_of_normal(x * 0.4f + 1.0f);
    vFloat p = sfpi::polynomial(
        t, 0.225676063f, 0.225674115f, 0.207573451f, 0.172457975f, 0.113984528f, 0.103474974f, -0.0934102184f,
        0.20667766f, -0.298172619f, 0.172134693f, -0.0360721739f);
    return p * t;
}

// e^(-c x²): the square of the upper half of x is exact.
sfpi_inline vFloat gaussian(vFloat x, float c) {
    vFloat upper = sfpi::as<vFloat>(sfpi::as<vUInt>(x) & 0xFFFFF000u);
    vFloat rest = (x - upper) * (x + upper);
    return exponential_of_sum((upper * upper) * -c, rest * -c);
}

// 1 - erf x for an x from 0.46 on.
sfpi_inline vFloat complement_of_error(vFloat x) {
    vFloat bounded = sfpi::min(x, 10.5f);
    return gaussian(bounded, 1.0f) * scaled_complement(bounded);
}

struct ErrorFunction {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat magnitude = sfpi::abs(x);
        vFloat result = magnitude * error_over_argument(magnitude * magnitude);
        v_if(magnitude >= 1.0f) { result = 1.0f - complement_of_error(magnitude); }
        v_endif;
        return unless_nan(x, sfpi::copysgn(result, x));
    }
};
struct ComplementOfErrorFunction {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat result = 1.0f - x * error_over_argument(x * x);
        v_if(sfpi::abs(x) >= 0.46875f) {
            result = complement_of_error(sfpi::abs(x));
            v_if(x < 0.0f) { result = 2.0f - result; }
            v_endif;
        }
        v_endif;
        return unless_nan(x, result);
    }
};

// x times the normal distribution's share below x. The share beyond a bound is the last factor, which may be near the smallest
// numbers.
struct Gelu {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat share = (x * 0x1.6a09e6p-1f) * error_over_argument((x * x) * 0.5f) * 0.5f + 0.5f;
        vFloat result = x * share;
        v_if(sfpi::abs(x) >= 0.75f) {
            vFloat bounded = sfpi::min(sfpi::abs(x), 14.5f);
            vFloat beyond = (scaled_complement(bounded * 0x1.6a09e6p-1f) * bounded) * 0.5f;
            beyond = gaussian(bounded, 0.5f) * beyond;
            result = -beyond;
            v_if(x >= 0.0f) { result = x - beyond; }
            v_endif;
        }
        v_endif;
        return unless_nan(x, result);
    }
};

}  // namespace hallmark

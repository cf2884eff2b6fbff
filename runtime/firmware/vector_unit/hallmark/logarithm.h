// Logarithms and powers of any base.
#pragma once

#include "hallmark/exponential.h"

namespace hallmark {

// A positive number as a power of 2 and a factor from √½ to √2, less 1.
struct Split {
    vFloat power;
    vFloat less_one;
};
sfpi_inline Split split(vFloat x) {
    vInt exponent = sfpi::exexp(x, sfpi::ExponentMode::Biased);
    vFloat mantissa = sfpi::setexp(x, 127);
    v_if(mantissa >= 0x1.6a09e6p0f) {
        mantissa = sfpi::setexp(mantissa, 126);
        exponent = exponent + 1;
    }
    v_endif;
    return {float_of_whole(exponent - 127), mantissa - 1.0f};
}

// ln (1 + x) - x of an x from √½ - 1 to √2 - 1: its square by a polynomial of least relative error (1e-9).
sfpi_inline vFloat small_logarithm_less_argument(vFloat x) {
    vFloat p = sfpi::polynomial(
        x, 0.333333104f, -0.249999866f, 0.200022263f, -0.166692505f, 0.142186643f, -0.123843588f, 0.118729454f,
        -0.117897321f, 0.069153367f);
    vFloat square = x * x;
    return (x * p - 0.5f) * square;
}

// The logarithm of a positive normal number. ln 2 has two parts, as for the exponential.
sfpi_inline vFloat logarithm_of_normal(vFloat x) {
    Split parts = split(x);
    vFloat sum = small_logarithm_less_argument(parts.less_one);
    sum = parts.power * 0x1.7f7d1cp-20f + sum;
    sum = sum + parts.less_one;
    return parts.power * 0x1.62e4p-1f + sum;
}

sfpi_inline vFloat logarithm(vFloat x) {
    return of_positive(x, logarithm_of_normal(x), kNegativeInfinity, kInfinity);
}

struct Logarithm {
    static sfpi_inline vFloat of(vFloat x) { return logarithm(x); }
};
struct ScaledLogarithm {
    static sfpi_inline vFloat of(vFloat x, uint32_t scale) { return logarithm(x) * HALLMARK_FLOAT(scale); }
};
// With the rounding of 1 + x made up for, divided by the sum.
struct LogarithmOfOneMore {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat sum = x + 1.0f;
        vFloat left_over = x - (sum - 1.0f);
        // Of a large x, the left over 1 counts for nothing.
        v_if(x > 0x1p24f) { left_over = 0.0f; }
        v_endif;
        vFloat result = logarithm(sum);
        v_if(sfpi::abs(x) < 0x1p60f) {
            v_if(sum > 0x1p-30f) { result = left_over * reciprocal_of_normal(sum) + result; }
            v_endif;
        }
        v_endif;
        return result;
    }
};

// |x|^y of normal numbers: y times the power of 2 in x is exact as far as it reaches into the exponent of the result, and y
// times the rest is small.
sfpi_inline vFloat power_of_magnitude(vFloat x, vFloat y) {
    Split parts = split(sfpi::abs(x));
    vFloat rest = small_logarithm_less_argument(parts.less_one) + parts.less_one;
    vFloat binary = rest * 0x1.715476p0f;
    binary = rest * 0x1.4ae0cp-26f + binary;
    // Beyond the bounds, the result is infinity or 0.
    vFloat whole = sfpi::max(sfpi::min(vFloat(y * binary + y * parts.power), 200.0f), -200.0f);
    vFloat sum = whole + kWholeOffset;
    vInt multiple = sfpi::as<vInt>(sum) - kWholeOffsetBits;
    whole = sum - kWholeOffset;
    vFloat left = y * parts.power - whole;
    left = sfpi::max(sfpi::min(vFloat(y * binary + left), 1.0f), -1.0f);
    vFloat result = small_exponential_less_one(left * 0x1.62e43p-1f) + 1.0f;
    vInt exponent = sfpi::exexp(result, sfpi::ExponentMode::Biased) + multiple;
    result = sfpi::setexp(result, exponent);
    v_if(exponent < 1) { result = 0.0f; }
    v_elseif(exponent > 254) { result = HALLMARK_FLOAT(kInfinity); }
    v_endif;
    return result;
}

// A power of which the core knows the exponent.
struct Power {
    static sfpi_inline vFloat of(vFloat x, uint32_t exponent) {
        const uint32_t magnitude = exponent & 0x7FFFFFFF;
        const bool is_negative = exponent >> 31 != 0;
        const uint32_t power = magnitude >> 23;
        // Bits of the exponent behind its point, and the last one before it.
        const uint32_t point = power >= 150 ? 0 : power < 126 ? 24 : 150 - power;
        const uint32_t mantissa = (magnitude & 0x7FFFFF) | 0x800000;
        const bool is_whole = magnitude == 0 || (point < 24 && (mantissa & ((1u << point) - 1)) == 0);
        const bool is_odd = is_whole && magnitude != 0 && power <= 150 && (mantissa >> point & 1) != 0;
        if (magnitude == 0) {
            return 1.0f;
        }
        vFloat y = HALLMARK_FLOAT(exponent);
        vFloat result = power_of_magnitude(x, y);
        v_if(sfpi::as<vInt>(x) < 0) {
            if (is_odd) {
                result = sfpi::setsgn(result, 1);
            } else if (!is_whole) {
                result = HALLMARK_FLOAT(kNan);
            }
        }
        v_endif;
        v_if(sfpi::exexp(x, sfpi::ExponentMode::Biased) == 0) {
            result = HALLMARK_FLOAT(is_negative ? kInfinity : 0u);
        }
        v_endif;
        v_if(sfpi::as<vUInt>(sfpi::setsgn(x, 0)) == kInfinity) {
            result = HALLMARK_FLOAT(is_negative ? 0u : kInfinity);
            if (is_odd) {
                result = sfpi::copysgn(result, x);
            }
        }
        v_endif;
        return unless_nan(x, result);
    }
};

// A power of two tiles.
struct PowerOfTiles {
    static sfpi_inline vFloat of(vFloat x, vFloat y) {
        vFloat result = power_of_magnitude(x, y);
        v_if(sfpi::exexp(x, sfpi::ExponentMode::Biased) == 255) {
            result = HALLMARK_FLOAT(kInfinity);
            v_if(y < 0.0f) { result = 0.0f; }
            v_endif;
        }
        v_endif;
        v_if(sfpi::as<vInt>(x) < 0) {
            // Above 2^22 all exponents count as even ones.
            vFloat bounded = sfpi::max(sfpi::min(y, 0x1p21f), -0x1p21f);
            vFloat sum = bounded + kWholeOffset;
            v_if((sfpi::as<vUInt>(sum) & 1) != 0) { result = sfpi::setsgn(result, 1); }
            v_endif;
            v_if(bounded != sum - kWholeOffset && sfpi::exexp(x, sfpi::ExponentMode::Biased) < 255) {
                result = HALLMARK_FLOAT(kNan);
            }
            v_endif;
        }
        v_endif;
        v_if(sfpi::exexp(x, sfpi::ExponentMode::Biased) == 0) {
            result = 0.0f;
            v_if(y < 0.0f) { result = HALLMARK_FLOAT(kInfinity); }
            v_endif;
        }
        v_endif;
        result = unless_nan(y, unless_nan(x, result));
        v_if(sfpi::exexp(y, sfpi::ExponentMode::Biased) == 0) { result = 1.0f; }
        v_endif;
        return result;
    }
};

}  // namespace hallmark

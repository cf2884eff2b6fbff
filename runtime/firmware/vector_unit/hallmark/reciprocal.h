// Reciprocals, quotients and square roots, by Newton's method.
#pragma once

#include "hallmark/vector_thread.h"

namespace hallmark {

inline constexpr uint32_t kInfinity = 0x7F800000, kNegativeInfinity = 0xFF800000, kNan = 0x7FC00000;

// A result, or the argument if that is no number.
sfpi_inline vFloat unless_nan(vFloat argument, vFloat result) {
    v_if(sfpi::as<vInt>(sfpi::setsgn(argument, 0)) > static_cast<int32_t>(kInfinity)) { result = argument; }
    v_endif;
    return result;
}

// 1/x of x from 1 to 2: a parabola with an error of 1 %, and two steps that each square it.
sfpi_inline vFloat reciprocal_of_mantissa(vFloat x) {
    vFloat y = sfpi::polynomial(x, 2.12121212f, -1.45454545f, 0.323232323f);
    y = y * (1.0f - x * y) + y;
    return y * (1.0f - x * y) + y;
}

// 1/x of a positive x whose reciprocal is a normal number, too.
sfpi_inline vFloat reciprocal_of_normal(vFloat x) {
    vFloat y = reciprocal_of_mantissa(sfpi::setexp(x, 127));
    vInt exponent = 127 - sfpi::exexp(x, sfpi::ExponentMode::Biased);
    return sfpi::setexp(y, sfpi::exexp(y, sfpi::ExponentMode::Biased) + exponent);
}

struct Reciprocal {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat y = reciprocal_of_mantissa(sfpi::setexp(sfpi::abs(x), 127));
        vInt given = sfpi::exexp(x, sfpi::ExponentMode::Biased);
        vInt exponent = sfpi::exexp(y, sfpi::ExponentMode::Biased) + 127 - given;
        y = sfpi::setexp(y, exponent);
        v_if(exponent < 1) { y = 0.0f; }
        v_endif;
        v_if(given == 0) { y = HALLMARK_FLOAT(kInfinity); }
        v_endif;
        return unless_nan(x, sfpi::copysgn(y, x));
    }
};

// Quotients by their mantissas, so that no part overflows, with what the product leaves over.
sfpi_inline vFloat quotient(vFloat a, vFloat b) {
    vFloat divisor = sfpi::setexp(sfpi::abs(b), 127);
    vFloat y = reciprocal_of_mantissa(divisor);
    vFloat dividend = sfpi::setexp(sfpi::abs(a), 127);
    vFloat q = dividend * y;
    q = (dividend - q * divisor) * y + q;
    vInt exponent = sfpi::exexp(q, sfpi::ExponentMode::Biased) + sfpi::exexp(a, sfpi::ExponentMode::Biased) -
                    sfpi::exexp(b, sfpi::ExponentMode::Biased);
    q = sfpi::setexp(q, exponent);
    v_if(exponent < 1) { q = 0.0f; }
    v_elseif(exponent > 254) { q = HALLMARK_FLOAT(kInfinity); }
    v_endif;
    // Zeros and infinities on both sides: 0 / b, a / 0, and neither of 0 / 0.
    v_if(sfpi::exexp(a, sfpi::ExponentMode::Biased) == 0) { q = 0.0f; }
    v_endif;
    v_if(sfpi::exexp(b, sfpi::ExponentMode::Biased) == 0) {
        q = HALLMARK_FLOAT(kInfinity);
        v_if(sfpi::exexp(a, sfpi::ExponentMode::Biased) == 0) { q = HALLMARK_FLOAT(kNan); }
        v_endif;
    }
    v_endif;
    v_if(sfpi::exexp(b, sfpi::ExponentMode::Biased) == 255) {
        q = 0.0f;
        v_if(sfpi::exexp(a, sfpi::ExponentMode::Biased) == 255) { q = HALLMARK_FLOAT(kNan); }
        v_endif;
    }
    v_endif;
    vFloat signs = sfpi::as<vFloat>(sfpi::as<vUInt>(a) ^ sfpi::as<vUInt>(b));
    q = sfpi::copysgn(q, signs);
    return unless_nan(b, unless_nan(a, q));
}

// 1/√x of a positive normal x: half of the exponent and of the mantissa from a constant (an error of 3.5 %), and two steps of
// which each cubes it.
sfpi_inline vFloat reciprocal_root(vFloat x) {
    vFloat y = sfpi::as<vFloat>(vInt(0x5F375A86) - sfpi::as<vInt>(sfpi::as<vUInt>(x) >> 1));
    for (int step = 0; step < 2; ++step) {
        vFloat error = 1.0f - (x * y) * y;
        y = (y * error) * (error * 0.375f + 0.5f) + y;
    }
    return y;
}

// What a function of positive numbers gives of others.
sfpi_inline vFloat of_positive(vFloat x, vFloat result, uint32_t at_zero, uint32_t at_infinity) {
    v_if(sfpi::as<vInt>(x) < 0) { result = HALLMARK_FLOAT(kNan); }
    v_endif;
    v_if(sfpi::exexp(x, sfpi::ExponentMode::Biased) == 0) { result = HALLMARK_FLOAT(at_zero); }
    v_endif;
    v_if(sfpi::as<vUInt>(x) == kInfinity) { result = HALLMARK_FLOAT(at_infinity); }
    v_endif;
    return unless_nan(x, result);
}

struct Root {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat y = reciprocal_root(x);
        vFloat root = x * y;
        root = (x - root * root) * (y * 0.5f) + root;
        return of_positive(x, root, 0, kInfinity);
    }
};
struct ReciprocalRoot {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat y = reciprocal_root(x);
        return of_positive(x, y, kInfinity, 0);
    }
};

}  // namespace hallmark

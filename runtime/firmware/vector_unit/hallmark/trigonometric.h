// Sines and cosines.
#pragma once

#include "hallmark/exponential.h"

namespace hallmark {

// The sine of an x up to π/2: x and its cube times a polynomial of its square, of least relative error (2e-11).
sfpi_inline vFloat small_sine(vFloat x) {
    vFloat square = x * x;
    vFloat p = sfpi::polynomial(
        square, -0.166666666f, 0.00833333131f, -0.000198408923f, 2.75265186e-06f, -2.39073682e-08f);
    return (square * x) * p + x;
}

// π has four parts, of which the first two have 11 bits, and multiples up to 2^13 are exact.
sfpi_inline vFloat less_multiple_of_pi(vFloat x, vFloat multiple) {
    vFloat rest = multiple * -0x1.92p1f + x;
    rest = multiple * -0x1.fb4p-11f + rest;
    rest = multiple * -0x1.444p-23f + rest;
    return multiple * -0x1.68c234p-38f + rest;
}

// The sign of an angle's sine, by the last bit of the multiple of π, on top of another sign.
sfpi_inline vFloat with_parity(vFloat value, vInt multiple) {
    return sfpi::as<vFloat>(sfpi::as<vUInt>(value) ^ (sfpi::as<vUInt>(multiple) << 31));
}

sfpi_inline vFloat sine(vFloat x) {
    vFloat sum = x * 0x1.45f306p-2f + kWholeOffset;
    vInt multiple = sfpi::as<vInt>(sum);
    vFloat rest = less_multiple_of_pi(x, sum - kWholeOffset);
    return with_parity(small_sine(rest), multiple);
}

// The sine of what is left beyond an odd multiple of π/2.
sfpi_inline vFloat cosine(vFloat x) {
    vFloat sum = (x * 0x1.45f306p-2f - 0.5f) + kWholeOffset;
    vInt multiple = sfpi::as<vInt>(sum) + 1;
    vFloat rest = less_multiple_of_pi(x, (sum - kWholeOffset) + 0.5f);
    return with_parity(small_sine(rest), multiple);
}

struct Sine {
    static sfpi_inline vFloat of(vFloat x) { return sine(x); }
};
struct Cosine {
    static sfpi_inline vFloat of(vFloat x) { return cosine(x); }
};
struct Tangent {
    static sfpi_inline vFloat of(vFloat x) { return quotient(sine(x), cosine(x)); }
};

}  // namespace hallmark

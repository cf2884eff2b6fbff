// Signs, comparisons, minima and maxima, and what is made of them. All are exact.
#pragma once

#include "hallmark/reciprocal.h"

namespace hallmark {

struct Absolute {
    static sfpi_inline vFloat of(vFloat x) { return sfpi::abs(x); }
};
struct Negative {
    static sfpi_inline vFloat of(vFloat x) { return -x; }
};
struct Square {
    static sfpi_inline vFloat of(vFloat x) { return x * x; }
};
struct Sign {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat result = sfpi::copysgn(vFloat(1.0f), x);
        v_if(sfpi::is_zero(x)) { result = 0.0f; }
        v_endif;
        return unless_nan(x, result);
    }
};
struct SignBit {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat result = 0.0f;
        v_if(sfpi::as<vInt>(x) < 0) { result = 1.0f; }
        v_endif;
        return result;
    }
};
struct Heaviside {
    static sfpi_inline vFloat of(vFloat x, uint32_t at_zero) {
        vFloat result = 1.0f;
        v_if(sfpi::as<vInt>(x) < 0) { result = 0.0f; }
        v_endif;
        v_if(sfpi::is_zero(x)) { result = HALLMARK_FLOAT(at_zero); }
        v_endif;
        return unless_nan(x, result);
    }
};

enum class Order { Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual };

// Floats as integers in the same order, with one zero. A NaN is beyond the infinity of its sign.
sfpi_inline vInt ordered(vFloat x) {
    vInt bits = sfpi::as<vInt>(x);
    v_if(bits < 0) { bits = 0 - sfpi::as<vInt>(sfpi::as<vUInt>(x) & 0x7FFFFFFFu); }
    v_endif;
    return bits;
}

// 1 where a relation of integers holds, and 0 elsewhere. Numbers of different signs may have a difference of more bits.
template <Order kOrder>
sfpi_inline vInt relation(vInt a, vInt b) {
    constexpr bool has_equals =
        kOrder == Order::Equal || kOrder == Order::LessOrEqual || kOrder == Order::GreaterOrEqual;
    vInt result = 0;
    if constexpr (kOrder == Order::Equal || kOrder == Order::NotEqual) {
        v_if((sfpi::as<vUInt>(a) ^ sfpi::as<vUInt>(b)) == 0) { result = 1; }
        v_endif;
        if constexpr (kOrder == Order::NotEqual) {
            result = 1 - result;
        }
    } else {
        // a < b, and its opposite; of b and a for the other two.
        constexpr bool is_turned = kOrder == Order::Greater || kOrder == Order::LessOrEqual;
        vInt first = is_turned ? b : a, second = is_turned ? a : b;
        vUInt signs = sfpi::as<vUInt>(first) ^ sfpi::as<vUInt>(second);
        v_if(sfpi::as<vInt>(signs) < 0) { result = sfpi::as<vInt>(sfpi::as<vUInt>(first) >> 31); }
        v_else {
            v_if(first - second < 0) { result = 1; }
            v_endif;
        }
        v_endif;
        if constexpr (has_equals) {
            result = 1 - result;
        }
    }
    return result;
}

sfpi_inline vFloat one_where(vInt flags) {
    vFloat result = 0.0f;
    v_if(flags != 0) { result = 1.0f; }
    v_endif;
    return result;
}

// The integer that stands for a float of the core's, as in `ordered`.
constexpr int32_t ordered_scalar(uint32_t bits) {
    return static_cast<int32_t>(bits >> 31 ? 0 - (bits & 0x7FFFFFFF) : bits);
}

template <Order kOrder>
struct ComparedToScalar {
    static sfpi_inline vFloat of(vFloat x, uint32_t scalar) {
        return one_where(relation<kOrder>(ordered(x), vInt(ordered_scalar(scalar))));
    }
};
template <Order kOrder>
struct Compared {
    static sfpi_inline vFloat of(vFloat a, vFloat b) { return one_where(relation<kOrder>(ordered(a), ordered(b))); }
};
template <Order kOrder>
struct ComparedToZero {
    static sfpi_inline vFloat of(vFloat x) { return one_where(relation<kOrder>(ordered(x), vInt(0))); }
};

struct Minimum {
    static sfpi_inline vFloat of(vFloat a, vFloat b) { return sfpi::min(a, b); }
};
struct Maximum {
    static sfpi_inline vFloat of(vFloat a, vFloat b) { return sfpi::max(a, b); }
};
struct MinimumOfScalar {
    static sfpi_inline vFloat of(vFloat x, uint32_t scalar) { return sfpi::min(x, HALLMARK_FLOAT(scalar)); }
};
struct MaximumOfScalar {
    static sfpi_inline vFloat of(vFloat x, uint32_t scalar) { return sfpi::max(x, HALLMARK_FLOAT(scalar)); }
};
struct Clamped {
    static sfpi_inline vFloat of(vFloat x, uint32_t least, uint32_t most) {
        return sfpi::min(sfpi::max(x, HALLMARK_FLOAT(least)), HALLMARK_FLOAT(most));
    }
};
struct Rectified {
    static sfpi_inline vFloat of(vFloat x) { return sfpi::max(x, 0.0f); }
};
struct RectifiedUpTo {
    static sfpi_inline vFloat of(vFloat x, uint32_t most) {
        return sfpi::max(sfpi::min(x, HALLMARK_FLOAT(most)), 0.0f);
    }
};
// Numbers below 0 times a factor.
struct Leaky {
    static sfpi_inline vFloat of(vFloat x, uint32_t slope) {
        v_if(sfpi::as<vInt>(x) < 0) { x = x * HALLMARK_FLOAT(slope); }
        v_endif;
        return x;
    }
};
struct Threshold {
    static sfpi_inline vFloat of(vFloat x, uint32_t threshold, uint32_t value) {
        vInt flags = relation<Order::LessOrEqual>(ordered(x), vInt(ordered_scalar(threshold)));
        v_if(flags != 0) { x = HALLMARK_FLOAT(value); }
        v_endif;
        return x;
    }
};

enum class Kind { Infinity, PositiveInfinity, NegativeInfinity, Nan, Finite };

template <Kind kKind>
struct IsOfKind {
    static sfpi_inline vFloat of(vFloat x) {
        vInt bits = sfpi::as<vInt>(x);
        vInt beyond = sfpi::as<vInt>(sfpi::setsgn(x, 0)) - static_cast<int32_t>(kInfinity);
        vFloat result = 0.0f;
        if constexpr (kKind == Kind::Infinity) {
            v_if(beyond == 0) { result = 1.0f; }
            v_endif;
        } else if constexpr (kKind == Kind::PositiveInfinity) {
            v_if(beyond == 0 && bits >= 0) { result = 1.0f; }
            v_endif;
        } else if constexpr (kKind == Kind::NegativeInfinity) {
            v_if(beyond == 0 && bits < 0) { result = 1.0f; }
            v_endif;
        } else if constexpr (kKind == Kind::Nan) {
            v_if(beyond > 0) { result = 1.0f; }
            v_endif;
        } else {
            v_if(beyond < 0) { result = 1.0f; }
            v_endif;
        }
        return result;
    }
};

}  // namespace hallmark

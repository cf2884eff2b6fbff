// Activation functions of neural networks.
#pragma once

#include "hallmark/exponential.h"

namespace hallmark {

struct Elu {
    static sfpi_inline vFloat of(vFloat x, uint32_t slope) {
        vFloat result = x;
        v_if(sfpi::as<vInt>(x) < 0) { result = exponential_less_one(sfpi::setsgn(x, 1)) * HALLMARK_FLOAT(slope); }
        v_endif;
        return result;
    }
};
struct Selu {
    static sfpi_inline vFloat of(vFloat x, uint32_t scale, uint32_t alpha) {
        vFloat result = x;
        v_if(sfpi::as<vInt>(x) < 0) { result = exponential_less_one(sfpi::setsgn(x, 1)) * HALLMARK_FLOAT(alpha); }
        v_endif;
        return result * HALLMARK_FLOAT(scale);
    }
};
struct Celu {
    static sfpi_inline vFloat of(vFloat x, uint32_t alpha, uint32_t reciprocal) {
        vFloat result = x;
        v_if(sfpi::as<vInt>(x) < 0) {
            vFloat argument = sfpi::setsgn(vFloat(x * HALLMARK_FLOAT(reciprocal)), 1);
            result = exponential_less_one(argument) * HALLMARK_FLOAT(alpha);
        }
        v_endif;
        return result;
    }
};
struct HardSigmoid {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat line = (x + 3.0f) * 0x1.555556p-3f;
        return sfpi::max(sfpi::min(line, 1.0f), 0.0f);
    }
};
struct Softsign {
    static sfpi_inline vFloat of(vFloat x) { return quotient(x, sfpi::abs(x) + 1.0f); }
};
struct SoftShrink {
    static sfpi_inline vFloat of(vFloat x, uint32_t bound) {
        vFloat above = sfpi::max(vFloat(x - HALLMARK_FLOAT(bound)), 0.0f);
        vFloat below = sfpi::min(vFloat(x + HALLMARK_FLOAT(bound)), 0.0f);
        return above + below;
    }
};
struct HardShrink {
    static sfpi_inline vFloat of(vFloat x, uint32_t bound) {
        vFloat result = x;
        v_if(HALLMARK_FLOAT(bound) - sfpi::abs(x) >= 0.0f) { result = 0.0f; }
        v_endif;
        return result;
    }
};

// 1 less the square of the hyperbolic tangent: 4 e / (1 + e)^2, where e is exp(-2 |x|).
struct TanhDerivative {
    static sfpi_inline vFloat of(vFloat x) {
        vFloat power = exponential(sfpi::setsgn(vFloat(x + x), 1));
        vFloat share = reciprocal_of_normal(power + 1.0f);
        vFloat result = power * share;
        result = result * share;
        return unless_nan(x, result * 4.0f);
    }
};

}  // namespace hallmark

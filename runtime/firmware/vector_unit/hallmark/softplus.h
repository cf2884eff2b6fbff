// The smooth rectifier, and the logarithm of the sigmoid function.
#pragma once

#include "hallmark/exponential.h"
#include "hallmark/logarithm.h"

namespace hallmark {

// log(1 + exp(y)) is log(1 + exp(-|y|)), and y more where y is positive. The logarithm of 1 + small is that of the rounded sum,
// and what the sum left over.
struct Softplus {
    // y is computed again where it is used: the argument alone keeps a register.
    static sfpi_inline vFloat of(vFloat x, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold) {
        vFloat small = exponential_of_sum(sfpi::max(sfpi::setsgn(vFloat(x * HALLMARK_FLOAT(beta)), 1), -89.0f), 0.0f);
        vFloat sum = small + 1.0f;
        small = small - (sum - 1.0f);
        small = small * reciprocal_of_normal(sum) + logarithm_of_normal(sum);
        small = small + sfpi::max(vFloat(x * HALLMARK_FLOAT(beta)), 0.0f);
        small = small * HALLMARK_FLOAT(beta_reciprocal);
        v_if(vFloat(x * HALLMARK_FLOAT(beta)) > HALLMARK_FLOAT(threshold)) { small = x; }
        v_endif;
        return small;
    }
};

// -log(1 + exp(-x)). TT-Metalium takes the exponential from the second tile where x is above 4.
struct LogSigmoid {
    static sfpi_inline vFloat of(vFloat x, vFloat exponential) {
        vFloat small = exponential_of_sum(sfpi::max(sfpi::setsgn(x, 1), -89.0f), 0.0f);
        v_if(x > 4.0f) { small = exponential; }
        v_endif;
        vFloat sum = small + 1.0f;
        small = small - (sum - 1.0f);
        small = small * reciprocal_of_normal(sum) + logarithm_of_normal(sum);
        return sfpi::min(x, 0.0f) - small;
    }
};

}  // namespace hallmark

// The smooth rectifier.
#pragma once

#include "hallmark/exponential.h"
#include "hallmark/logarithm.h"

namespace hallmark {

// log(1 + exp(y)) is log(1 + exp(-|y|)), and y more where y is positive. The logarithm of 1 + small is that of the rounded sum,
// and what the sum left over.
struct Softplus {
    static sfpi_inline vFloat of(vFloat x, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold) {
        x = x * HALLMARK_FLOAT(beta);
        vFloat small = exponential_of_sum(sfpi::max(sfpi::setsgn(x, 1), -89.0f), 0.0f);
        vFloat sum = small + 1.0f;
        small = small - (sum - 1.0f);
        small = small * reciprocal_of_normal(sum) + logarithm_of_normal(sum);
        small = small + sfpi::max(x, 0.0f);
        v_if(x > HALLMARK_FLOAT(threshold)) { small = x; }
        v_endif;
        return small * HALLMARK_FLOAT(beta_reciprocal);
    }
};

}  // namespace hallmark

// The smooth rectifier.
#pragma once

#include "hallmark/exponential.h"
#include "hallmark/logarithm.h"

namespace hallmark {

// log(1 + exp(y)) is log(1 + exp(-|y|)), and y more where y is positive.
struct Softplus {
    static sfpi_inline vFloat of(vFloat x, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold) {
        vFloat scaled = x * HALLMARK_FLOAT(beta);
        vFloat small = exponential_less_one(sfpi::setsgn(scaled, 1)) + 1.0f;
        vFloat result = LogarithmOfOneMore::of(small) + sfpi::max(scaled, 0.0f);
        result = result * HALLMARK_FLOAT(beta_reciprocal);
        v_if(scaled > HALLMARK_FLOAT(threshold)) { result = x; }
        v_endif;
        return result;
    }
};

}  // namespace hallmark

// Functions that assert what they expect, for kernels that show where an assertion stands.
#pragma once

#include "api/debug/assert.h"

namespace asserted {

// Also for constant expressions.
constexpr uint32_t below(uint32_t number, uint32_t limit) {
    ASSERT(number < limit);
    return number;
}

template <typename T>
T remainder_free(T number, T divisor) {
    ASSERT(number % divisor == 0 && "no remainder", "the kind of assertion, for a watcher");
    return number / divisor;
}

}  // namespace asserted

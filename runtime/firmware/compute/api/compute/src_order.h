// The registers to which the operands of an operation go.
#pragma once

#include <stdint.h>

namespace ckernel {

enum class SrcOrder : uint8_t {
    // The first operand to SrcA, the second to SrcB.
    Regular = 0,
    // The other way round, for products of matrices.
    Reverse = 1,
};

}  // namespace ckernel

using namespace ckernel;

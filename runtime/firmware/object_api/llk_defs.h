// Kinds of reductions, for kernels that prepare the coprocessor's inputs.
#pragma once

#include <stdint.h>

namespace ckernel {

enum class ReduceDim : uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };

enum class PoolType : uint8_t { SUM, AVG, MAX, MIN };

}  // namespace ckernel

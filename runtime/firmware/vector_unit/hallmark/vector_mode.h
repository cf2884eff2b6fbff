// The faces of a tile that a function of the vector unit works on.
#pragma once

#include <stdint.h>

namespace ckernel {

enum class VectorMode : uint8_t { None = 0, R = 1, C = 2, RC = 4 };

}  // namespace ckernel

// The threads of a compute kernel by number.
#pragma once

#include <stdint.h>

namespace ckernel {

enum ThreadId : uint8_t { UnpackThreadId = 0, MathThreadId = 1, PackThreadId = 2 };

}  // namespace ckernel

// The cores of a tile that mailboxes connect, by number.
#pragma once

#include <stdint.h>

namespace ckernel {

enum ThreadId : uint8_t { BriscThreadId = 0, UnpackThreadId = 1, MathThreadId = 2, PackThreadId = 3 };

}  // namespace ckernel

// The cores of a tile that mailboxes connect, by number.
#pragma once

#include <stdint.h>

namespace ckernel {

enum ThreadId : uint8_t { BriscThreadId = 0, UnpackThreadId = 1, MathThreadId = 2, PackThreadId = 3 };

// How a datum becomes one of bfloat16 in Dst.
enum class DstRoundingMode : uint8_t { Default = 0, NearestEven = 1 };

enum class PackMode : uint8_t { Default = 0, Untilize = 1, Tilize = 2 };

}  // namespace ckernel

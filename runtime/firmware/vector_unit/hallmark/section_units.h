// The units that MATH waits for before it gives a section of Dst away, in kernels that use the vector unit.
#pragma once

#include "hallmark/coprocessor.h"

namespace hallmark {

inline constexpr uint32_t kSectionUnits = kMatrixDone | kVectorDone;

}  // namespace hallmark

// The units that MATH waits for before it gives a section of Dst away.
#pragma once

#include "hallmark/coprocessor.h"

namespace hallmark {

inline constexpr uint32_t kSectionUnits = kMatrixDone;

}  // namespace hallmark

// A line of zeros in this tile's L1, from which NoC requests zero memory. It is part of the image of a kernel that uses it.
#pragma once

#include <stdint.h>

namespace hallmark {

inline constexpr uint32_t kZerosBytes = 512;
alignas(64) inline constexpr uint8_t kZeros[kZerosBytes] = {};

}  // namespace hallmark

#define MEM_ZEROS_SIZE (hallmark::kZerosBytes)
#define MEM_ZEROS_BASE (reinterpret_cast<uint32_t>(hallmark::kZeros))

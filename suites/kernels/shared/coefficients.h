// What `polynomial.h` multiplies with.
#pragma once

#include <cstdint>

namespace polynomial {

constexpr uint32_t kSquare = 5;
constexpr uint32_t kLinear = 7;
constexpr uint32_t kConstant = 11;

}  // namespace polynomial

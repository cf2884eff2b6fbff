// Polynomials, for kernels that show that their own headers travel with them.
#pragma once

#include "coefficients.h"

namespace polynomial {

inline uint32_t square_and_more(uint32_t x) { return (kSquare * x + kLinear) * x + kConstant; }

inline uint32_t cube_and_more(uint32_t x) { return x * square_and_more(x) + kConstant; }

}  // namespace polynomial

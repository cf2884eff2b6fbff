// Refused functions.
#pragma once

#include "hallmark/vector_functions.h"

namespace ckernel {

[[gnu::error("dropout needs random bits that are the same on every device, and Hallmark has none: draw the mask on the host and "
             "use mul_binary_tile")]] void
dropout_tile(uint32_t idst, uint32_t probability, uint32_t scale_factor);

[[gnu::error("dropout needs random bits that are the same on every device, and Hallmark has none: draw the mask on the host and "
             "use mul_binary_tile")]] void
dropout_kernel_init(uint32_t seed = 0);

}  // namespace ckernel

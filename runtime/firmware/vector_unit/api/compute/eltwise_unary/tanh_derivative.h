// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(tanh_derivative_tile_init)
HALLMARK_NOT_COMPUTED(tanh_derivative_tile)

}  // namespace ckernel

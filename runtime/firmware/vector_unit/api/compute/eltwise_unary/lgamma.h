// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(lgamma_stirling_tile)
HALLMARK_NOT_COMPUTED(lgamma_stirling_tile_init)
HALLMARK_NOT_COMPUTED(lgamma_stirling_float_tile)
HALLMARK_NOT_COMPUTED(lgamma_stirling_float_tile_init)
HALLMARK_NOT_COMPUTED(lgamma_adjusted_tile)
HALLMARK_NOT_COMPUTED(lgamma_adjusted_tile_init)

}  // namespace ckernel

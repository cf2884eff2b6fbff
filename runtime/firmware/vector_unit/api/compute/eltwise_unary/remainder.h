// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(remainder_tile)
HALLMARK_NOT_COMPUTED(remainder_tile_init)
HALLMARK_NOT_COMPUTED(remainder_tile_uint32)
HALLMARK_NOT_COMPUTED(remainder_tile_uint32_init)

}  // namespace ckernel

// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(remainder_int32_tile)
HALLMARK_NOT_COMPUTED(remainder_int32_tile_init)
HALLMARK_NOT_COMPUTED(remainder_uint32_tile)
HALLMARK_NOT_COMPUTED(remainder_uint32_tile_init)
HALLMARK_NOT_COMPUTED(remainder_binary_tile)
HALLMARK_NOT_COMPUTED(remainder_binary_tile_init)

}  // namespace ckernel

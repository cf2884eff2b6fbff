// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(div_int32_floor_tile)
HALLMARK_NOT_COMPUTED(div_int32_trunc_tile)
HALLMARK_NOT_COMPUTED(div_int32_floor_tile_init)
HALLMARK_NOT_COMPUTED(div_int32_trunc_tile_init)

}  // namespace ckernel

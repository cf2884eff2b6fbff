// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(div_int32_tile)
HALLMARK_NOT_COMPUTED(div_int32_tile_init)

}  // namespace ckernel

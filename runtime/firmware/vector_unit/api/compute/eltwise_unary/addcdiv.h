// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(addcdiv_tile)
HALLMARK_NOT_COMPUTED(addcdiv_tile_init)

}  // namespace ckernel

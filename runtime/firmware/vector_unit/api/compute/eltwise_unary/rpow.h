// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(rpow_tile_init)
HALLMARK_NOT_COMPUTED(rpow_tile)

}  // namespace ckernel

// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(logaddexp2_binary_tile)
HALLMARK_NOT_COMPUTED(logaddexp2_binary_tile_init)

}  // namespace ckernel

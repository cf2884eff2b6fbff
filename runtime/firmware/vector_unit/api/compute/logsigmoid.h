// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(logsigmoid_tile_init)
HALLMARK_NOT_COMPUTED(logsigmoid_tile)

}  // namespace ckernel

// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(fmod_tile)
HALLMARK_NOT_COMPUTED(fmod_tile_init)

}  // namespace ckernel

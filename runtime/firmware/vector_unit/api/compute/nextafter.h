// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(nextafter_binary_tile)
HALLMARK_NOT_COMPUTED(nextafter_binary_tile_init)
HALLMARK_NOT_COMPUTED(nextafter_bf16_binary_tile)
HALLMARK_NOT_COMPUTED(nextafter_bf16_binary_tile_init)

}  // namespace ckernel

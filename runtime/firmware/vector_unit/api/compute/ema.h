// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(ema_init)
HALLMARK_NOT_COMPUTED(ema_clear_previous_output)
HALLMARK_NOT_COMPUTED(ema_tile)

}  // namespace ckernel

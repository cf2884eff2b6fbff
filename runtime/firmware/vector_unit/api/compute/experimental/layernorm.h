// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(sub_bcast_cols_compensated_init)
HALLMARK_NOT_COMPUTED(sub_bcast_cols_compensated)

}  // namespace ckernel

// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(sfpu_sum_int_init)
HALLMARK_NOT_COMPUTED(sfpu_sum_int_col)
HALLMARK_NOT_COMPUTED(sfpu_sum_int_row)
HALLMARK_NOT_COMPUTED(sfpu_add_int)

}  // namespace ckernel

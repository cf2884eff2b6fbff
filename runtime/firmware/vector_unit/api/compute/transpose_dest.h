// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

HALLMARK_NOT_COMPUTED(transpose_dest_init)
HALLMARK_NOT_COMPUTED(transpose_dest)

}  // namespace ckernel

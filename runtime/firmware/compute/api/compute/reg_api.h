// The sections of Dst: MATH computes in one while PACK packs the other.
#pragma once

#include "api/compute/compute_kernel_hw_startup.h"

namespace ckernel {

ALWI void tile_regs_acquire() { MATH((hallmark::begin_section())); }

ALWI void tile_regs_commit() { MATH((hallmark::end_section())); }

ALWI void tile_regs_wait() { PACK((hallmark::wait_for_section())); }

ALWI void tile_regs_release() { PACK((hallmark::release_section())); }

}  // namespace ckernel

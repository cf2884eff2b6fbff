// The sections of Dst, in kernels that use the vector unit: MATH gives a section away behind both of its units.
#pragma once

#include "api/compute/compute_kernel_hw_startup.h"
#ifdef TRISC_MATH
#include "hallmark/vector_thread.h"
#endif

namespace ckernel {

ALWI void tile_regs_acquire() { MATH((hallmark::begin_section())); }

ALWI void tile_regs_commit() { MATH((hallmark::end_section_of_vectors())); }

ALWI void tile_regs_wait() { PACK((hallmark::wait_for_section())); }

ALWI void tile_regs_release() { PACK((hallmark::release_section())); }

}  // namespace ckernel

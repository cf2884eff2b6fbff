// The sections of Dst: MATH computes in one while PACK packs the other.
#pragma once

#include "api/compute/compute_kernel_hw_startup.h"

namespace ckernel {

ALWI void tile_regs_acquire() {
    MATH((hallmark::begin_section()));
    PACK((hallmark::begin_named_section()));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tile_regs_commit() {
    UNPACK((hallmark::end_unpacked_section()));
    MATH((hallmark::end_section()));
    PACK((hallmark::end_named_section()));
}

ALWI void tile_regs_wait() { PACK((hallmark::wait_for_section())); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tile_regs_release() { PACK((hallmark::release_section())); }

// Names of before that 0.81.1 still has: both threads at once.
ALWI void acquire_dst() {
    tile_regs_acquire();
    tile_regs_wait();
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void release_dst() {
    tile_regs_commit();
    tile_regs_release();
}

}  // namespace ckernel

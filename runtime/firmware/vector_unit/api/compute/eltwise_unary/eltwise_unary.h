// What functions of a tile in Dst begin with: the copy of a tile into Dst.
#pragma once

#include "api/compute/tile_move_copy.h"
#include "hallmark/vector_functions.h"

namespace ckernel {

// Names of before, which 0.81.1 still has.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
[[deprecated("call compute_kernel_hw_startup(icb, ocb) where the kernel begins, and copy_init(icb)")]] ALWI void unary_op_init_common(
    uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    compute_kernel_hw_startup(icb, ocb);
    copy_init<is_fp32_dest_acc_en>(icb);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
[[deprecated("call compute_kernel_hw_startup(icb, ocb) where the kernel begins, and copy_init(icb)")]] ALWI void init_sfpu(
    uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    compute_kernel_hw_startup(icb, ocb);
    copy_init<is_fp32_dest_acc_en>(icb);
}

}  // namespace ckernel

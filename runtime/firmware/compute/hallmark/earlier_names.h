// Names of earlier releases of TT-Metalium that 0.81.1 has no longer, each with today's.
#pragma once

#include "hallmark/refused.h"

#define MAIN                                                           \
    _Pragma("GCC error \"MAIN is kernel_main() today\"") \
    kernel_main()

#define HALLMARK_EARLIER_NAME(name, today) HALLMARK_REFUSED(name, "today this is " today)

namespace ckernel {

HALLMARK_EARLIER_NAME(binary_op_init_common, "compute_kernel_hw_startup(icb0, icb1, ocb)")
HALLMARK_EARLIER_NAME(add_tiles_init, "add_init(icb0, icb1)")
HALLMARK_EARLIER_NAME(sub_tiles_init, "sub_init(icb0, icb1)")
HALLMARK_EARLIER_NAME(mul_tiles_init, "mul_init(icb0, icb1)")
HALLMARK_EARLIER_NAME(mm_init, "compute_kernel_hw_startup<SrcOrder::Reverse>(in0, in1, out) and matmul_init(in0, in1)")
HALLMARK_EARLIER_NAME(mm_init_short, "matmul_init(in0, in1)")
HALLMARK_EARLIER_NAME(
    mm_init_short_with_dt, "reconfig_data_format_srca(old, in1) and matmul_init(in0, in1)")

HALLMARK_EARLIER_NAME(mm_block_init, "compute_kernel_hw_startup<SrcOrder::Reverse>(in0, in1, out) and matmul_block_init(in0, in1)")
HALLMARK_EARLIER_NAME(mm_block_init_short, "matmul_block_init(in0, in1)")
HALLMARK_EARLIER_NAME(transpose_wh_init, "compute_kernel_hw_startup(icb, ocb) and transpose_init(icb)")
HALLMARK_EARLIER_NAME(transpose_wh_init_short, "transpose_init(icb)")
HALLMARK_EARLIER_NAME(transpose_wh_tile, "transpose_tile(icb, itile, idst)")
HALLMARK_EARLIER_NAME(init_bcast, "compute_kernel_hw_startup(icb0, icb1, ocb) and bcast_init(icb0, icb1)")
HALLMARK_EARLIER_NAME(add_bcast_rows_init_short, "add_bcast_rows_init(icb0, icb1)")
HALLMARK_EARLIER_NAME(add_bcast_cols_init_short, "add_bcast_cols_init(icb0, icb1)")
HALLMARK_EARLIER_NAME(add_bcast_scalar_init_short, "add_bcast_scalar_init(icb0, icb1)")
HALLMARK_EARLIER_NAME(sub_bcast_cols_init_short, "sub_bcast_cols_init(icb0, icb1)")
HALLMARK_EARLIER_NAME(mul_bcast_rows_init_short, "mul_bcast_rows_init(icb0, icb1)")
HALLMARK_EARLIER_NAME(mul_bcast_cols_init_short, "mul_bcast_cols_init(icb0, icb1)")

}  // namespace ckernel

#undef HALLMARK_EARLIER_NAME

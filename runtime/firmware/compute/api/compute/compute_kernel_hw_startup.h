// The configuration with which a compute kernel begins.
#pragma once

#include "api/compute/src_order.h"
#include "api/compute/thread.h"
#include "hallmark/kernel_main.h"
#include "hallmark/operands.h"
#ifdef TRISC_UNPACK
#include "hallmark/unpack_thread.h"
#endif
#ifdef TRISC_MATH
#include "hallmark/math_thread.h"
#endif
#ifdef TRISC_PACK
#include "hallmark/pack_thread.h"
#endif

namespace ckernel {

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb) {
    hallmark::check_formats(icb0, icb1);
    hallmark::check_result(icb0, ocb);
    const uint32_t cb_a = src_order == SrcOrder::Reverse ? icb1 : icb0;
    const uint32_t cb_b = src_order == SrcOrder::Reverse ? icb0 : icb1;
    UNPACK((hallmark::configure_unpackers(cb_a, cb_b)));
    MATH((hallmark::configure_math(cb_a, cb_b)));
    PACK((hallmark::configure_packers(ocb)));
}

ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t ocb) { compute_kernel_hw_startup(icb0, icb0, ocb); }

}  // namespace ckernel

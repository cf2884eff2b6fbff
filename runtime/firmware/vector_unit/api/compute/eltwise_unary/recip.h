// Reciprocals.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/reciprocal.h"
#endif

namespace ckernel {

enum class ReciprocalDestAcc { BF16, FP32 };
enum class ReciprocalApproxMode { Default, Precise, Approximate };

}  // namespace ckernel

namespace hallmark {

constexpr bool is_approximate(ckernel::ReciprocalApproxMode mode) {
    return mode == ckernel::ReciprocalApproxMode::Approximate || (mode == ckernel::ReciprocalApproxMode::Default && APPROX);
}

}  // namespace hallmark

namespace ckernel {

template <
    ReciprocalDestAcc dest_acc = DST_ACCUM_MODE ? ReciprocalDestAcc::FP32 : ReciprocalDestAcc::BF16,
    ReciprocalApproxMode approximation = ReciprocalApproxMode::Default>
ALWI void recip_tile_init() {
    constexpr bool of_32_bits = dest_acc == ReciprocalDestAcc::FP32, approximate = hallmark::is_approximate(approximation);
    MATH(HALLMARK_LEAVE_BY_INIT(
        reciprocal_program(of_32_bits, approximate) | on_blackhole(constant(0, Content::kReciprocal)));)
}

template <
    ReciprocalDestAcc dest_acc = DST_ACCUM_MODE ? ReciprocalDestAcc::FP32 : ReciprocalDestAcc::BF16,
    ReciprocalApproxMode approximation = ReciprocalApproxMode::Default>
ALWI void recip_tile(uint32_t idst, VectorMode vector_mode = VectorMode::RC) {
    hallmark::check_tile_in_dst(idst);
    constexpr bool of_32_bits = dest_acc == ReciprocalDestAcc::FP32, approximate = hallmark::is_approximate(approximation);
    MATH(HALLMARK_NEEDS_LEFT(recip_tile, recip_tile_init, reciprocal_program(of_32_bits, approximate));)
    MATH((hallmark::map_tile<hallmark::Reciprocal>(idst, vector_mode)));
}

}  // namespace ckernel

// Powers of e.
#pragma once

#include "hallmark/not_computed.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/exponential.h"
#endif

namespace ckernel {

enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };

}  // namespace ckernel

#ifdef TRISC_MATH
namespace hallmark {

// What the function reads: of 32 bits, with all digits, nothing.
template <bool kApproximate, ckernel::InputClamping kClamping, bool kOf32Bits>
constexpr Left exponential_needed() {
    return kApproximate ? exponential_program(kClamping == ckernel::InputClamping::ClampToNegative)
           : kOf32Bits  ? nothing()
                        : exponential_constants();
}
template <bool kApproximate, ckernel::InputClamping kClamping, bool kOf32Bits>
constexpr Left exponential_left() {
    return !kApproximate && kOf32Bits ? reciprocal_constants() : exponential_needed<kApproximate, kClamping, kOf32Bits>();
}
template <bool kApproximate, bool kOf32Bits>
FORCE_INLINE void leave_by_exponential() {
    if constexpr (!kApproximate && !kOf32Bits) {
        leave(replays(Content::kOther));
    }
}

// The factor of the argument, as the last init with `approx` said.
inline uint32_t exponential_scale;

}  // namespace hallmark
#endif

namespace ckernel {

template <
    bool approx = false, uint32_t scale = 0x3F800000, InputClamping input_clamping = InputClamping::ClampToNegative,
    bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile_init() {
    MATH(HALLMARK_LEAVE_BY_INIT((exponential_left<approx, input_clamping, is_fp32_dest_acc_en>()));)
    MATH((hallmark::exponential_scale = scale));
}

// There is one algorithm, with `approx` and without.
template <
    bool approx = false, bool scale_en = false, InputClamping input_clamping = InputClamping::ClampToNegative,
    int iterations = 8, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile(uint32_t idst, VectorMode vector_mode = VectorMode::RC, uint16_t scale = 0x3F80) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(
        exp_tile, exp_tile_init, (exponential_needed<approx, input_clamping, is_fp32_dest_acc_en>()));)
    MATH({
        constexpr bool moves = approx && input_clamping == InputClamping::None;
        hallmark::vectors_are_prepared |= moves;
        if constexpr (!scale_en) {
            hallmark::map_tile<hallmark::Exponential>(idst, vector_mode);
        } else {
            const uint32_t factor = approx ? hallmark::exponential_scale : uint32_t{scale} << 16;
            hallmark::map_tile<hallmark::ScaledExponential>(idst, vector_mode, factor);
        }
        hallmark::leave_by_exponential<approx, is_fp32_dest_acc_en>();
        // TT-Metalium's leaves a modifier that moves Dst on where all other functions expect none.
        hallmark::vectors_are_prepared &= !moves;
    })
}

HALLMARK_NOT_COMPUTED(exp_packthread_tile_init)
HALLMARK_NOT_COMPUTED(exp_packthread_tile)

}  // namespace ckernel

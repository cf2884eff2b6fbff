// Powers of e.
#pragma once

#include "hallmark/not_computed.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/exponential.h"
#endif

#ifdef TRISC_MATH
namespace hallmark {

// The factor of the argument, as the last init with `approx` said.
inline uint32_t exponential_scale;

}  // namespace hallmark
#endif

namespace ckernel {

enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };

template <
    bool approx = false, uint32_t scale = 0x3F800000, InputClamping input_clamping = InputClamping::ClampToNegative,
    bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile_init() {
    MATH((hallmark::prepare_vectors()));
    MATH((hallmark::exponential_scale = scale));
}

// There is one algorithm, with `approx` and without.
template <
    bool approx = false, bool scale_en = false, InputClamping input_clamping = InputClamping::ClampToNegative,
    int iterations = 8, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void exp_tile(uint32_t idst, VectorMode vector_mode = VectorMode::RC, uint16_t scale = 0x3F80) {
    hallmark::check_tile_in_dst(idst);
    MATH({
        if constexpr (!scale_en) {
            hallmark::map_tile<hallmark::Exponential>(idst, vector_mode);
        } else {
            const uint32_t factor = approx ? hallmark::exponential_scale : uint32_t{scale} << 16;
            hallmark::map_tile<hallmark::ScaledExponential>(idst, vector_mode, factor);
        }
    })
}

HALLMARK_NOT_COMPUTED(exp_packthread_tile_init)
HALLMARK_NOT_COMPUTED(exp_packthread_tile)

}  // namespace ckernel

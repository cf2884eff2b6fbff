// Denormals behind inits that say nothing of them.
#pragma once

#include "hallmark/math_thread.h"

namespace hallmark {

// Under TT-Metalium, denormals become 0 from the start on and stay as they are from `copy_init` on. Transpositions and unary
// broadcasts change neither.
FORCE_INLINE void leave_denormals() {
    if (keeps_denormals == 2) {
        keep_denormals<false>();
    }
}

}  // namespace hallmark

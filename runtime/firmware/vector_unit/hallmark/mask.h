// Data where a mask is not 0.
#pragma once

#include "hallmark/reciprocal.h"
#include "hallmark/vector_thread.h"

namespace hallmark {

struct Mask {
    template <typename Vector>
    static sfpi_inline Vector of(Vector data, Vector mask) {
        v_if(mask == 0) { data = 0; }
        v_endif;
        return data;
    }
};
struct MaskToInfinity {
    static sfpi_inline vFloat of(vFloat data, vFloat mask) {
        v_if(mask == 0.0f) { data = HALLMARK_FLOAT(kInfinity); }
        v_endif;
        return data;
    }
};

}  // namespace hallmark

// The last part of attention: sums of values with rows of weights.
// Compile-time arguments: circular buffers of 0 weights, 1 values, 2 the output; 3 rows and 4 columns of tiles of values.
// Runtime arguments: 0 rows of tiles of weights.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "shared/attention.h"

void kernel_main() {
    constexpr uint32_t cb_weights = get_compile_time_arg_val(0);
    constexpr uint32_t cb_values = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr uint32_t keys = get_compile_time_arg_val(3);
    constexpr uint32_t depth = get_compile_time_arg_val(4);
    const uint32_t rows = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_weights, cb_values, cb_out);
    cb_wait_front(cb_values, keys * depth);
    for (uint32_t row = 0; row < rows; ++row) {
        values_of_row<keys, depth>(cb_weights, cb_values, cb_out);
    }
    cb_pop_front(cb_values, keys * depth);
}

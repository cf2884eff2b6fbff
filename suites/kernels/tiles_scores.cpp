// Scores of attention: scaled products of rows of tiles of queries and of keys.
// Compile-time arguments: circular buffers of 0 queries, 1 keys, 2 the output; 3 rows of tiles of keys, 4 columns of tiles of both,
// 5 the bits of the scale.
// Runtime arguments: 0 rows of tiles of queries.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "shared/attention.h"

void kernel_main() {
    constexpr uint32_t cb_queries = get_compile_time_arg_val(0);
    constexpr uint32_t cb_keys = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr uint32_t keys = get_compile_time_arg_val(3);
    constexpr uint32_t depth = get_compile_time_arg_val(4);
    constexpr uint32_t scale = get_compile_time_arg_val(5);
    const uint32_t rows = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_queries, cb_keys, cb_out);
    cb_wait_front(cb_keys, keys * depth);
    for (uint32_t row = 0; row < rows; ++row) {
        scores_of_row<keys, depth>(cb_queries, cb_keys, cb_out, scale);
    }
    cb_pop_front(cb_keys, keys * depth);
}

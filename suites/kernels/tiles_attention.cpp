// Attention: the softmax of scaled products of queries and keys, times the values.
// Compile-time arguments: circular buffers of 0 a tile of ones, 1 keys, 2 values, 3 queries, 4 scores, 5 the largest scores, 6 the
// exponentials, 7 the reciprocals of their sums, 8 the weights of the values, 9 the output; 10 rows of tiles of keys and of
// values, 11 columns of tiles of all matrices, 12 the bits of the scale.
// Runtime arguments: 0 rows of tiles of queries.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "shared/attention.h"
#include "shared/softmax.h"

void kernel_main() {
    constexpr uint32_t cb_ones = get_compile_time_arg_val(0);
    constexpr uint32_t cb_keys = get_compile_time_arg_val(1);
    constexpr uint32_t cb_values = get_compile_time_arg_val(2);
    constexpr uint32_t cb_queries = get_compile_time_arg_val(3);
    constexpr uint32_t cb_scores = get_compile_time_arg_val(4);
    constexpr uint32_t cb_weights = get_compile_time_arg_val(8);
    constexpr uint32_t cb_out = get_compile_time_arg_val(9);
    constexpr uint32_t keys = get_compile_time_arg_val(10);
    constexpr uint32_t depth = get_compile_time_arg_val(11);
    constexpr uint32_t scale = get_compile_time_arg_val(12);
    constexpr SoftmaxBuffers softmax = {
        cb_scores, cb_ones, get_compile_time_arg_val(5), get_compile_time_arg_val(6), get_compile_time_arg_val(7), cb_weights};
    const uint32_t rows = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_queries, cb_keys, cb_out);
    cb_wait_front(cb_ones, 1);
    cb_wait_front(cb_keys, keys * depth);
    cb_wait_front(cb_values, keys * depth);
    for (uint32_t row = 0; row < rows; ++row) {
        scores_of_row<keys, depth>(cb_queries, cb_keys, cb_scores, scale);
        softmax_of_row<keys>(softmax);
        values_of_row<keys, depth>(cb_weights, cb_values, cb_out);
    }
    cb_pop_front(cb_ones, 1);
    cb_pop_front(cb_keys, keys * depth);
    cb_pop_front(cb_values, keys * depth);
}

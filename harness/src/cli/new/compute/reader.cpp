// Reads the tiles of two matrices in the order in which their product needs them.
// Compile-time arguments: 0 and 1 circular buffers of the matrices, 2 rows and 3 columns of the product in tiles, 4 tiles in a
// row of the left matrix, then the TensorAccessors of both.
// Runtime arguments: 0 left matrix, 1 right matrix.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_left = get_compile_time_arg_val(0);
    constexpr uint32_t cb_right = get_compile_time_arg_val(1);
    constexpr uint32_t rows = get_compile_time_arg_val(2);
    constexpr uint32_t columns = get_compile_time_arg_val(3);
    constexpr uint32_t inner = get_compile_time_arg_val(4);
    constexpr auto left_args = TensorAccessorArgs<5>();
    constexpr auto right_args = TensorAccessorArgs<left_args.next_compile_time_args_offset()>();
    const auto left = TensorAccessor(left_args, get_arg_val<uint32_t>(0));
    const auto right = TensorAccessor(right_args, get_arg_val<uint32_t>(1));

    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            for (uint32_t step = 0; step < inner; ++step) {
                cb_reserve_back(cb_left, 1);
                cb_reserve_back(cb_right, 1);
                noc_async_read_page(row * inner + step, left, get_write_ptr(cb_left));
                noc_async_read_page(step * columns + column, right, get_write_ptr(cb_right));
                noc_async_read_barrier();
                cb_push_back(cb_left, 1);
                cb_push_back(cb_right, 1);
            }
        }
    }
}

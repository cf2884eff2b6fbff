// Reads the operands of a matrix product: first all pages of the right matrix, then rows of the left one.
// Compile-time arguments: 0 and 1 circular buffers of the left and the right matrix, then their TensorAccessors.
// Runtime arguments: 0 left matrix, 1 right matrix, 2 first row of the left one, 3 rows, 4 rows of the right one.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_left = get_compile_time_arg_val(0);
    constexpr uint32_t cb_right = get_compile_time_arg_val(1);
    constexpr auto left_args = TensorAccessorArgs<2>();
    constexpr auto right_args = TensorAccessorArgs<left_args.next_compile_time_args_offset()>();
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t rows = get_arg_val<uint32_t>(3);
    const uint32_t depth = get_arg_val<uint32_t>(4);

    const uint32_t left_size = get_local_cb_interface(cb_left).fifo_page_size;
    const uint32_t right_size = get_local_cb_interface(cb_right).fifo_page_size;
    const auto left = TensorAccessor(left_args, get_arg_val<uint32_t>(0), left_size);
    const auto right = TensorAccessor(right_args, get_arg_val<uint32_t>(1), right_size);
    cb_reserve_back(cb_right, depth);
    for (uint32_t page = 0; page < depth; ++page) {
        noc_async_read(right.get_noc_addr(page), get_write_ptr(cb_right) + page * right_size, right_size);
    }
    noc_async_read_barrier();
    cb_push_back(cb_right, depth);
    for (uint32_t page = first; page < first + rows; ++page) {
        cb_reserve_back(cb_left, 1);
        noc_async_read(left.get_noc_addr(page), get_write_ptr(cb_left), left_size);
        noc_async_read_barrier();
        cb_push_back(cb_left, 1);
    }
}

// Writes pages of two circular buffers to two interleaved buffers, page by page in turn.
// Compile-time arguments: 0 and 1 circular buffers, then the TensorAccessors of both.
// Runtime arguments: 0 first buffer, 1 second buffer, 2 pages of each.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr auto args_a = TensorAccessorArgs<2>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();
    const uint32_t pages = get_arg_val<uint32_t>(2);

    const uint32_t page_size_a = get_local_cb_interface(cb_a).fifo_page_size;
    const uint32_t page_size_b = get_local_cb_interface(cb_b).fifo_page_size;
    const auto destination_a = TensorAccessor(args_a, get_arg_val<uint32_t>(0), page_size_a);
    const auto destination_b = TensorAccessor(args_b, get_arg_val<uint32_t>(1), page_size_b);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_wait_front(cb_a, 1);
        noc_async_write(get_read_ptr(cb_a), destination_a.get_noc_addr(page), page_size_a);
        cb_wait_front(cb_b, 1);
        noc_async_write(get_read_ptr(cb_b), destination_b.get_noc_addr(page), page_size_b);
        noc_async_write_barrier();
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
    }
}

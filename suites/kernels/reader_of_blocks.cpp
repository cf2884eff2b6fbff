// Reads all pages of two interleaved buffers into two circular buffers that hold them all.
// Compile-time arguments: 0 and 1 circular buffers, 2 and 3 their pages, then the TensorAccessors of both.
// Runtime arguments: 0 first buffer, 1 second buffer.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

template <uint32_t cb, uint32_t pages, typename Accessor>
void read_all(const Accessor& source) {
    const uint32_t page_size = get_local_cb_interface(cb).fifo_page_size;
    cb_reserve_back(cb, pages);
    const uint32_t place = get_write_ptr(cb);
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read(source.get_noc_addr(page), place + page * page_size, page_size);
    }
    noc_async_read_barrier();
    cb_push_back(cb, pages);
}

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr auto args_a = TensorAccessorArgs<4>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();
    read_all<cb_a, get_compile_time_arg_val(2)>(
        TensorAccessor(args_a, get_arg_val<uint32_t>(0), get_local_cb_interface(cb_a).fifo_page_size));
    read_all<cb_b, get_compile_time_arg_val(3)>(
        TensorAccessor(args_b, get_arg_val<uint32_t>(1), get_local_cb_interface(cb_b).fifo_page_size));
}

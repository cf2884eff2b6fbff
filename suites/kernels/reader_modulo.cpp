// Reads pages of a buffer into a circular buffer one by one; after the last page of the buffer comes its first again.
// Compile-time arguments: 0 circular buffer, then the TensorAccessor.
// Runtime arguments: 0 buffer, 1 first page, 2 pages, 3 pages of the buffer.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);
    const uint32_t all = get_arg_val<uint32_t>(3);

    const uint32_t page_size = get_local_cb_interface(cb).fifo_page_size;
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0), page_size);
    for (uint32_t page = first; page < first + pages; ++page) {
        cb_reserve_back(cb, 1);
        noc_async_read(source.get_noc_addr(page % all), get_write_ptr(cb), page_size);
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}

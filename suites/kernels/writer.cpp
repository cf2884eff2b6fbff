// Writes pages from a circular buffer to an interleaved buffer, `block` pages at a time.
// Compile-time arguments: 0 circular buffer, 1 pages per block, then the TensorAccessor.
// Runtime arguments: 0 buffer, 1 first page, 2 pages (a multiple of the block).

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t block = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);

    const uint32_t page_size = get_local_cb_interface(cb).fifo_page_size;
    const auto destination = TensorAccessor(args, address, page_size);
    for (uint32_t done = 0; done < pages; done += block) {
        cb_wait_front(cb, block);
        uint32_t l1_address = get_read_ptr(cb);
        for (uint32_t page = 0; page < block; ++page) {
            noc_async_write(l1_address, destination.get_noc_addr(first + done + page), page_size);
            l1_address += page_size;
        }
        noc_async_write_barrier();
        cb_pop_front(cb, block);
    }
}

// Reads pages of an interleaved buffer into a circular buffer, `block` pages at a time.
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
    const auto source = TensorAccessor(args, address, page_size);
    for (uint32_t done = 0; done < pages; done += block) {
        cb_reserve_back(cb, block);
        uint32_t l1_address = get_write_ptr(cb);
        for (uint32_t page = 0; page < block; ++page) {
            noc_async_read(source.get_noc_addr(first + done + page), l1_address, page_size);
            l1_address += page_size;
        }
        noc_async_read_barrier();
        cb_push_back(cb, block);
    }
}

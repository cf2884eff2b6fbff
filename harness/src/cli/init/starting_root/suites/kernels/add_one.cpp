// Adds 1 to every word of an interleaved buffer, page by page.
// Compile-time arguments: TensorAccessor of the buffer.
// Runtime arguments: 0 the buffer, 1 an L1 address with room for a page, 2 the number of pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto buffer_args = TensorAccessorArgs<0>();
    const auto buffer = TensorAccessor(buffer_args, get_arg_val<uint32_t>(0));
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    const uint32_t count = buffer.page_size / 4;
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read(buffer.get_noc_addr(page), l1_address, buffer.page_size);
        noc_async_read_barrier();
        uint32_t sum = 0;
        for (uint32_t word = 0; word < count; ++word) {
            sum = words[word] + 1;
            words[word] = sum;
        }
        // The NoC must not read a word before its store is in L1: wait until the last one loads back.
        while (words[count - 1] != sum) {
        }
        noc_async_write(l1_address, buffer.get_noc_addr(page), buffer.page_size);
        noc_async_write_barrier();
    }
}

// Pops pages whose first words should count from 0 from a circular buffer, `block` pages at a time. Writes how many
// pages came, the sum of their first words, and how many were not what they should be.
// Compile-time arguments: 0 circular buffer, 1 pages per block, then the TensorAccessor of the output.
// Runtime arguments: 0 output, 1 pages (a multiple of the block), 2 L1 scratch address.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t block = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    const uint32_t pages = get_arg_val<uint32_t>(1);
    const uint32_t l1_address = get_arg_val<uint32_t>(2);

    const uint32_t page_size = get_local_cb_interface(cb).fifo_page_size;
    uint32_t number = 0;
    uint32_t sum = 0;
    uint32_t wrong = 0;
    while (number < pages) {
        cb_wait_front(cb, block);
        invalidate_l1_cache();
        uint32_t page_address = get_read_ptr(cb);
        for (uint32_t page = 0; page < block; ++page) {
            const uint32_t word = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(page_address);
            sum += word;
            wrong += word != number;
            ++number;
            page_address += page_size;
        }
        cb_pop_front(cb, block);
    }
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    words[0] = number;
    words[1] = sum;
    words[2] = wrong;
    words[3] = 0x600D;
    // The words must be in L1 before a request reads them.
    while (words[3] != 0x600D) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 16);
    noc_async_write_barrier();
}

// Adds a number to every word of the pages of one interleaved buffer; the sums are the pages of another, or of the same.
// Compile-time arguments: TensorAccessor of the source, TensorAccessor of the destination.
// Runtime arguments: 0 source, 1 destination, 2 L1 scratch address, 3 page size in bytes, 4 end of the pages, 5 the
// number.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto destination_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t source_address = get_arg_val<uint32_t>(0);
    const uint32_t destination_address = get_arg_val<uint32_t>(1);
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t page_size = get_arg_val<uint32_t>(3);
    const uint32_t pages = get_arg_val<uint32_t>(4);
    const uint32_t number = get_arg_val<uint32_t>(5);

    const auto source = TensorAccessor(source_args, source_address, page_size);
    const auto destination = TensorAccessor(destination_args, destination_address, page_size);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read(source.get_noc_addr(page), l1_address, page_size);
        noc_async_read_barrier();
        invalidate_l1_cache();
        uint32_t sum = 0;
        const uint32_t count = page_size / 4;
        for (uint32_t word = 0; word < count; ++word) {
            sum = words[word] + number;
            words[word] = sum;
        }
        // The last word is in L1 before the request reads it, and with it those before.
        while (words[count - 1] != sum) {
        }
        noc_async_write(l1_address, destination.get_noc_addr(page), page_size);
        noc_async_write_barrier();
    }
}

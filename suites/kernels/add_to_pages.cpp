// Adds a number to every word of some pages of a buffer, and puts the sums into the same pages of another one.
// Compile-time arguments: TensorAccessor of the source, TensorAccessor of the destination.
// Common runtime arguments: those of the two accessors.
// Runtime arguments: 0 source, 1 destination, 2 bytes of a page, 3 the number, 4 first page, 5 end of the pages.
// Circular buffer 0 is scratch memory of a page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0, 0>();
    constexpr auto destination_args = TensorAccessorArgs<source_args.next_compile_time_args_offset(),
                                                         source_args.next_common_runtime_args_offset()>();
    const uint32_t bytes = get_arg_val<uint32_t>(2);
    const uint32_t number = get_arg_val<uint32_t>(3);
    const uint32_t end = get_arg_val<uint32_t>(5);

    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0));
    const auto destination = TensorAccessor(destination_args, get_arg_val<uint32_t>(1));
    cb_reserve_back(0, 1);
    const uint32_t scratch = get_write_ptr(0);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(scratch);
    for (uint32_t page = get_arg_val<uint32_t>(4); page < end; ++page) {
        noc_async_read(source.get_noc_addr(page), scratch, bytes);
        noc_async_read_barrier();
        uint32_t sum = 0;
        for (uint32_t word = 0; word < bytes / 4; ++word) {
            sum = words[word] + number;
            words[word] = sum;
        }
        // The NoC must not read a word before its store is in L1: wait until the last one loads back.
        while (words[bytes / 4 - 1] != sum) {
        }
        noc_async_write(scratch, destination.get_noc_addr(page), bytes);
        noc_async_write_barrier();
    }
}

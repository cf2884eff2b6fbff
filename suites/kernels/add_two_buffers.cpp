// Adds the words of two buffers, page by page, and puts the sums into a third one.
// Compile-time arguments: TensorAccessors of both summands and of the sums.
// Common runtime arguments: those of the three accessors.
// Runtime arguments: 0 and 1 summands, 2 sums, 3 bytes of a page, 4 how many pages.
// Circular buffer 0 is scratch memory of two pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto one_args = TensorAccessorArgs<0, 0>();
    constexpr auto other_args =
        TensorAccessorArgs<one_args.next_compile_time_args_offset(), one_args.next_common_runtime_args_offset()>();
    constexpr auto sum_args =
        TensorAccessorArgs<other_args.next_compile_time_args_offset(), other_args.next_common_runtime_args_offset()>();
    const uint32_t bytes = get_arg_val<uint32_t>(3);
    const uint32_t pages = get_arg_val<uint32_t>(4);

    const auto one = TensorAccessor(one_args, get_arg_val<uint32_t>(0));
    const auto other = TensorAccessor(other_args, get_arg_val<uint32_t>(1));
    const auto sums = TensorAccessor(sum_args, get_arg_val<uint32_t>(2));
    cb_reserve_back(0, 2);
    const uint32_t scratch = get_write_ptr(0);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(scratch);
    const uint32_t count = bytes / 4;
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read(one.get_noc_addr(page), scratch, bytes);
        noc_async_read(other.get_noc_addr(page), scratch + bytes, bytes);
        noc_async_read_barrier();
        uint32_t sum = 0;
        for (uint32_t word = 0; word < count; ++word) {
            sum = words[word] + words[count + word];
            words[word] = sum;
        }
        // The NoC must not read a word before its store is in L1: wait until the last one loads back.
        while (words[count - 1] != sum) {
        }
        noc_async_write(scratch, sums.get_noc_addr(page), bytes);
        noc_async_write_barrier();
    }
}

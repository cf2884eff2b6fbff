// Reads a line from DRAM and writes the sum of its words to its page. With EARLY defined the words are added up
// before the read is known to be done.
// Compile-time arguments: TensorAccessor of the source, then of the output.
// Runtime arguments: 0 source, 1 output, 2 L1 address of the line, 3 L1 address of a line for the sum, 4 words.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t sum_address = get_arg_val<uint32_t>(3);
    const uint32_t words = get_arg_val<uint32_t>(4);

    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0), 4 * words);
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1), 32);
    volatile tt_l1_ptr uint32_t* line = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    noc_async_read(source.get_noc_addr(0), l1_address, 4 * words);
#ifndef EARLY
    noc_async_read_barrier();
#endif
    uint32_t sum = 0;
    for (uint32_t word = 0; word < words; ++word) {
        sum += line[word];
    }
    noc_async_read_barrier();
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sum_address), sum);
    noc_async_write(sum_address, output.get_noc_addr(0), 32);
    noc_async_write_barrier();
}

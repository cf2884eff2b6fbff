// Reads a line of each page, each read under one of some transaction identifiers, all of them outstanding at
// once. Then it waits for one identifier after the other, and after each adds up the first words of that
// identifier's lines: a barrier that returns too early shows in the sums, which it writes.
// Compile-time arguments: TensorAccessor of the source, TensorAccessor of the output.
// Runtime arguments: 0 source, 1 output, 2 L1 scratch address for all lines, 3 line size in bytes, 4 pages,
// 5 first identifier, 6 identifiers, 7 L1 scratch address for the sums, 64 bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t lines = get_arg_val<uint32_t>(2);
    const uint32_t line_size = get_arg_val<uint32_t>(3);
    const uint32_t pages = get_arg_val<uint32_t>(4);
    const uint32_t first = get_arg_val<uint32_t>(5);
    const uint32_t identifiers = get_arg_val<uint32_t>(6);
    volatile tt_l1_ptr uint32_t* sums =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(7));

    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0), line_size);
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read_set_trid(first + page % identifiers);
        noc_async_read_one_packet(source.get_noc_addr(page), lines + page * line_size, line_size);
    }
    for (uint32_t word = 0; word < 16; ++word) {
        sums[word] = 0;
    }
    // The last one first.
    for (uint32_t identifier = identifiers; identifier-- > 0;) {
        noc_async_read_barrier_with_trid(first + identifier);
        uint32_t sum = 0;
        for (uint32_t page = identifier; page < pages; page += identifiers) {
            sum += *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(lines + page * line_size);
        }
        sums[identifier] = sum;
        while (sums[identifier] != sum) {
        }
    }
    noc_async_read_set_trid(0);
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1), 64);
    noc_async_write(get_arg_val<uint32_t>(7), output.get_noc_addr(0), 64);
    noc_async_write_barrier();
}

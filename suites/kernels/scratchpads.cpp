// Copies pages of one interleaved buffer to another, each through two scratchpads of the kernel's own.
// Compile-time arguments: bytes of a page, then the accessors of the source and of the destination.
// Runtime arguments: the source's address, the destination's address, the first page, the number of pages, bytes by
// which the kernel misses its first scratchpad.
// Common arguments: a number that is added to each word, the first scratchpad, the second scratchpad.
// Compile-time arguments for a check: 64,2,64,2,64
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/scratchpad.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr uint32_t size = get_compile_time_arg_val(0);
    constexpr auto source_args = TensorAccessorArgs<1>();
    constexpr auto destination_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0));
    const auto destination = TensorAccessor(destination_args, get_arg_val<uint32_t>(1));
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t pages = get_arg_val<uint32_t>(3);
    const uint32_t missed = get_arg_val<uint32_t>(4);
    const uint32_t number = get_common_arg_val<uint32_t>(0);

    Noc noc;
    const Scratchpad<uint32_t> in{ScratchpadBindingToken(1, size)};
    const Scratchpad<uint32_t> out{ScratchpadBindingToken(2, size)};
    const CoreLocalMem<uint32_t> landing(in.get_base_address() + missed);
    for (uint32_t page = first; page < first + pages; ++page) {
        noc.async_read(source, landing, size, {.page_id = page}, {});
        noc.async_read_barrier();
        for (uint32_t word = 0; word < out.size(); ++word) {
            out[word] = in[word] + number;
        }
        // The NoC must not read a word before its store is in L1: wait until the last one loads back.
        const volatile uint32_t& last = out[out.size() - 1];
        while (last != in[in.size() - 1] + number) {
        }
        noc.async_write(out, destination, size, {}, {.page_id = page});
        noc.async_write_barrier();
    }
}

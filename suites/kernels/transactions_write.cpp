// Deals words to pages from a few lines of L1, each under a transaction identifier of its own: a line is written
// anew as soon as its identifier's last write has left.
// Compile-time arguments: TensorAccessor of the output, whose pages have 16 bytes.
// Runtime arguments: 0 output, 1 pages, 2 L1 scratch address, 16 bytes for each identifier, 3 identifiers,
// 4 first number; each page's words are 4 greater than those of the page before it.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t pages = get_arg_val<uint32_t>(1);
    const uint32_t lines = get_arg_val<uint32_t>(2);
    const uint32_t identifiers = get_arg_val<uint32_t>(3);
    uint32_t number = get_arg_val<uint32_t>(4);

    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0), 16);
    for (uint32_t page = 0; page < pages; ++page) {
        const uint32_t identifier = page % identifiers;
        const uint32_t line = lines + 16 * identifier;
        volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(line);
        noc_async_write_flushed_with_trid(identifier + 1);
        for (uint32_t word = 0; word < 4; ++word) {
            words[word] = number++;
        }
        while (words[3] != number - 1) {
        }
        noc_async_write_one_packet_with_trid(line, output.get_noc_addr(page), 16, identifier + 1);
    }
    for (uint32_t identifier = 0; identifier < identifiers; ++identifier) {
        noc_async_write_barrier_with_trid(identifier + 1);
    }
    noc_async_write_set_trid(0);
}

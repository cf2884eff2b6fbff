// Prints a number of lines and writes their count.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 lines.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t lines = get_arg_val<uint32_t>(2);

    DPRINT("{} lines\n", lines);
    for (uint32_t line = 0; line < lines; ++line) {
        const float half = 0.5f;
        DPRINT("line {:3}: {:.3f}, {:#x}, {}\n", line, half, line * 0x1001, CTSTR("text"));
    }
    DPRINT_DATA0("on NoC 0, ");
    DPRINT_DATA1("on NoC 1, ");
    DPRINT("at the end\n");

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    words[0] = lines;
    // The word must be in L1 before a request reads it.
    while (words[0] != lines) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4);
    noc_async_write_barrier();
}

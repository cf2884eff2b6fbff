// Prints an argument of each kind, and a text that no terminal may obey. Then it asserts a runtime argument.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 whether the assertion holds.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/debug/assert.h"
#include "api/debug/dprint.h"
#include "api/tensor/tensor_accessor.h"

enum class Colour : uint8_t { RED = 3 };

template <typename T>
void show(T value) {
    DPRINT("{}|", value);
}

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t holds = get_arg_val<uint32_t>(2);
    volatile uint8_t byte = 200;

    show(int8_t{-100});
    show(uint16_t{65535});
    show(-2000000000);
    show(int64_t{-5000000000});
    show(uint64_t{0xFFFFFFFFFFFFFFFF});
    show(true);
    show('c');
    show(Colour::RED);
    show(0.1f);
    show(0.25);
    show(reinterpret_cast<uint32_t*>(0xFFB00000));
    show(bf16_t(0x3FC0));
    show(CTSTR("a \"text\" of 100%"));
    DPRINT("\n{1:>5} {0:#06x} {{{1}}}\n", byte, -7);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    words[0] = 0x3F800000;
    words[1] = 0xBF000000;
    DPRINT("{}" "\n", dp_typed_array_t<2>(0, reinterpret_cast<uint32_t*>(l1_address)));
    DPRINT("\x1b[2J\x07\xe2\x80\xae bell\n::error::gotcha\n  ::add-mask::a\n##[error]b\n");
    DPRINT("without an end");

    ASSERT(holds == 1);
    words[0] = holds;
    // The word must be in L1 before a request reads it.
    while (words[0] != holds) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4);
    noc_async_write_barrier();
}

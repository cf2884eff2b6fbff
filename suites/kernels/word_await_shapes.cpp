// Waits for a word in one of the shapes that compilers make of such a loop, and writes a line out.
// SHAPE: 0 the compiler takes the first look out of the loop, 1 a function looks, 2 the word is compared on the stack.
// Compile-time arguments: 0 result (accessor).
// Runtime arguments: 0 L1 address of the line, 1 its size in bytes, 2 L1 address of the word, 3 its value, 4 clocks before,
// 5 result.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

using Word = volatile tt_l1_ptr uint32_t;

[[gnu::noinline]] bool has_come(Word* word, uint32_t value) { return *word == value; }

void kernel_main() {
    constexpr auto result_args = TensorAccessorArgs<0>();
    const uint32_t line = get_arg_val<uint32_t>(0);
    const uint32_t size = get_arg_val<uint32_t>(1);
    Word* word = reinterpret_cast<Word*>(get_arg_val<uint32_t>(2));
    const uint32_t value = get_arg_val<uint32_t>(3);
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(5));

    riscv_wait(get_arg_val<uint32_t>(4));
#if SHAPE == 0
    while (*word != value) {
        invalidate_l1_cache();
    }
#elif SHAPE == 1
    while (!has_come(word, value)) {
        invalidate_l1_cache();
    }
#else
    volatile uint32_t found;
    do {
        invalidate_l1_cache();
        found = *word;
    } while (found != value);
#endif
    noc_async_write(line, result.get_noc_addr(0), size);
    noc_async_write_barrier();
}

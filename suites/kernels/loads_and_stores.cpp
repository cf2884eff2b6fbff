// Loads and stores bytes, halfwords and words at every place of a word; one row of words for each of them.
// Compile-time arguments: TensorAccessors of the words (one page) and of the output (a page for all rows).
// Runtime arguments: 0 words, 1 output, 2 L1 scratch for the words, 3 L1 scratch for the rows, 4 how many words,
// 5 what stands in a row before a byte or halfword is stored there.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

#define LOAD_ROW(instruction, offset)                                                                 \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        uint32_t result;                                                                              \
        asm volatile(instruction " %0, " #offset "(%1)" : "=r"(result) : "r"(words + 4 * index) : "memory"); \
        *out++ = result;                                                                              \
    }
#define STORE_ROW(instruction, offset)                                                                \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        const uint32_t value = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(words)[index];          \
        *out = before;                                                                                \
        asm volatile(instruction " %0, " #offset "(%1)" : : "r"(value), "r"(out) : "memory");          \
        ++out;                                                                                        \
    }

void kernel_main() {
    constexpr auto word_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<word_args.next_compile_time_args_offset()>();
    const uint32_t words = get_arg_val<uint32_t>(2);
    const uint32_t rows = get_arg_val<uint32_t>(3);
    const uint32_t count = get_arg_val<uint32_t>(4);
    const uint32_t before = get_arg_val<uint32_t>(5);

    const auto source = TensorAccessor(word_args, get_arg_val<uint32_t>(0));
    noc_async_read(source.get_noc_addr(0), words, 4 * count);
    noc_async_read_barrier();
    volatile tt_l1_ptr uint32_t* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(rows);
    LOAD_ROW("lb", 0)
    LOAD_ROW("lb", 1)
    LOAD_ROW("lb", 2)
    LOAD_ROW("lb", 3)
    LOAD_ROW("lbu", 0)
    LOAD_ROW("lbu", 1)
    LOAD_ROW("lbu", 2)
    LOAD_ROW("lbu", 3)
    LOAD_ROW("lh", 0)
    LOAD_ROW("lh", 2)
    LOAD_ROW("lhu", 0)
    LOAD_ROW("lhu", 2)
    LOAD_ROW("lw", 0)
    STORE_ROW("sb", 0)
    STORE_ROW("sb", 1)
    STORE_ROW("sb", 2)
    STORE_ROW("sb", 3)
    STORE_ROW("sh", 0)
    STORE_ROW("sh", 2)
    STORE_ROW("sw", 0)
    // The words must be in L1 before a request reads them.
    const uint32_t last = out[-1];
    while (out[-1] != last) {
    }
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1));
    noc_async_write(rows, output.get_noc_addr(0), reinterpret_cast<uint32_t>(out) - rows);
    noc_async_write_barrier();
}

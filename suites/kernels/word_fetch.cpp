// Reads a word of another core until it has a value, and then a line.
// Compile-time arguments: 0 result (accessor).
// Runtime arguments: 0 L1 address of the line, 1 its size in bytes, 2 L1 address of the word, 3 and 4 the other core's NoC
// coordinates, 5 the value, 6 clocks before, 7 result, 8 whether it reads the word again if the value is another.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto result_args = TensorAccessorArgs<0>();
    const uint32_t line = get_arg_val<uint32_t>(0);
    const uint32_t size = get_arg_val<uint32_t>(1);
    const uint32_t word = get_arg_val<uint32_t>(2);
    const uint32_t x = get_arg_val<uint32_t>(3);
    const uint32_t y = get_arg_val<uint32_t>(4);
    const uint32_t value = get_arg_val<uint32_t>(5);
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(7));
    volatile tt_l1_ptr uint32_t* own = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(word);

    riscv_wait(get_arg_val<uint32_t>(6));
    if (get_arg_val<uint32_t>(8) != 0) {
        do {
            noc_async_read(get_noc_addr(x, y, word), word, 4);
            noc_async_read_barrier();
        } while (*own != value);
    } else {
        noc_async_read(get_noc_addr(x, y, word), word, 4);
        noc_async_read_barrier();
    }
    noc_async_read(get_noc_addr(x, y, line), line, size);
    noc_async_read_barrier();
    noc_async_write(line, result.get_noc_addr(0), size);
    noc_async_write_barrier();
}

// Waits for a word, sets it back, and writes a line out.
// Compile-time arguments: 0 result (accessor).
// Runtime arguments: 0 L1 address of the line, 1 its size in bytes, 2 L1 address of the word, 3 its value, 4 clocks before,
// 5 result.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto result_args = TensorAccessorArgs<0>();
    const uint32_t line = get_arg_val<uint32_t>(0);
    const uint32_t size = get_arg_val<uint32_t>(1);
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(2));
    const uint32_t value = get_arg_val<uint32_t>(3);
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(5));

    riscv_wait(get_arg_val<uint32_t>(4));
    noc_semaphore_wait(word, value);
    noc_async_write(line, result.get_noc_addr(0), size);
    noc_async_write_barrier();
    noc_semaphore_set(word, 0);
}

// Waits until a semaphore of its core has a value, and writes it.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 semaphore, 3 value.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    volatile tt_l1_ptr uint32_t* semaphore =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(2)));
    noc_semaphore_wait(semaphore, get_arg_val<uint32_t>(3));
    const uint32_t value = *semaphore;
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    *word = value;
    // The word must be in L1 before a request reads it.
    while (*word != value) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4);
    noc_async_write_barrier();
}

// Waits until its semaphore has a value and writes that value to its page.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 semaphore, 2 value, 3 L1 scratch address, 4 page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t l1_address = get_arg_val<uint32_t>(3);

    volatile tt_l1_ptr uint32_t* flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    noc_semaphore_wait(flag, get_arg_val<uint32_t>(2));
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    const uint32_t value = *flag;
    *word = value;
    // The word must be in L1 before a request reads it.
    while (*word != value) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(get_arg_val<uint32_t>(4)), 4);
    noc_async_write_barrier();
}

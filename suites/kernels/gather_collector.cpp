// Waits for a number from each of `count` workers and writes them, 16 bytes each, to page 0.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 semaphore, 1 count, 2 L1 address of the collected words, 3 output.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t count = get_arg_val<uint32_t>(1);
    const uint32_t words = get_arg_val<uint32_t>(2);

    volatile tt_l1_ptr uint32_t* arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    noc_semaphore_wait(arrived, count);
    noc_semaphore_set(arrived, 0);
    // Only the word of each 16 bytes was sent; the rest is defined here.
    volatile tt_l1_ptr uint32_t* collected = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(words);
    for (uint32_t rank = 0; rank < count; ++rank) {
        collected[4 * rank + 1] = 0;
        collected[4 * rank + 2] = 0;
        noc_semaphore_set(&collected[4 * rank + 3], 0);
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(3));
    noc_async_write(words, output.get_noc_addr(0), 16 * count);
    noc_async_write_barrier();
}

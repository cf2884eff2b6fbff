// Adds to a semaphore of its own tile over the NoC, some times, and notes what it holds after the barrier each time.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 semaphore, 3 number, 4 times.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(2));
    const uint32_t times = get_arg_val<uint32_t>(4);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t time = 0; time < times; ++time) {
        noc_semaphore_inc(get_noc_addr(semaphore), get_arg_val<uint32_t>(3));
        noc_async_atomic_barrier();
        noc_semaphore_set(words + time, *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore));
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4 * times);
    noc_async_write_barrier();
}

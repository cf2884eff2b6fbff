// Two kernels meet: each adds 1 to the other's word and waits until its own has been added to as often. At the end the
// word goes to DRAM. Neither comes to its end unless both run at the same time.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 L1 address of the word (on both tiles, a multiple of 16, 0 at first), 1 and 2 the other tile's
// NoC coordinates, 3 times, 4 output, 5 its page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(0);
    const uint64_t other = get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), l1_address);
    const uint32_t times = get_arg_val<uint32_t>(3);

    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t time = 1; time <= times; ++time) {
        noc_semaphore_inc(other, 1);
        noc_semaphore_wait_min(word, time);
    }
    noc_async_atomic_barrier();
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(4));
    noc_async_write(l1_address, output.get_noc_addr(get_arg_val<uint32_t>(5)), 4);
    noc_async_write_barrier();
}

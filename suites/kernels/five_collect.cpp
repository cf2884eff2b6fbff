// Waits until the other four cores of its tile have said that their words are there, adds its own, and writes all five
// to its page.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address of the words, 2–5 semaphores, 6 page, 7 number.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t core = 0; core < 4; ++core) {
        const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(2 + core));
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 1);
    }
    words[5] = 0;
    words[6] = 0;
    words[7] = 0;
    noc_semaphore_set(&words[0], get_arg_val<uint32_t>(7));
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(get_arg_val<uint32_t>(6)), 32);
    noc_async_write_barrier();
}

// Counts some rounds, and only then writes a number to its page.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 page, 3 rounds, 4 number.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);

    for (uint32_t round = get_arg_val<uint32_t>(3); round != 0; --round) {
        asm volatile("");
    }
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address), get_arg_val<uint32_t>(4));
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(get_arg_val<uint32_t>(2)), 4);
    noc_async_write_barrier();
}

// A word goes round a ring of tiles; each adds its number and passes it on. The first begins with 0 and, when
// the word comes back, writes it to the output.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 semaphore, 1 and 2 the next tile's NoC coordinates, 3 L1 address of the word (the same
// everywhere), 4 number, 5 whether it is the first, 6 output.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t next_x = get_arg_val<uint32_t>(1);
    const uint32_t next_y = get_arg_val<uint32_t>(2);
    const uint32_t l1_address = get_arg_val<uint32_t>(3);
    const uint32_t number = get_arg_val<uint32_t>(4);
    const bool first = get_arg_val<uint32_t>(5) != 0;

    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    volatile tt_l1_ptr uint32_t* arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    uint32_t sum = number;
    if (!first) {
        noc_semaphore_wait(arrived, 1);
        sum += *word;
    }
    *word = sum;
    // The word must be in L1 before a request reads it.
    while (*word != sum) {
    }
    noc_async_write(l1_address, get_noc_addr(next_x, next_y, l1_address), 4);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(next_x, next_y, semaphore), 1);
    noc_async_atomic_barrier();
    if (first) {
        noc_semaphore_wait(arrived, 1);
        const auto output = TensorAccessor(args, get_arg_val<uint32_t>(6));
        noc_async_write(l1_address, output.get_noc_addr(0), 4);
        noc_async_write_barrier();
    }
}

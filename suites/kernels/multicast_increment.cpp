// Adds to a semaphore of each tile of a rectangle, several times, and writes its own tile's semaphore to its page.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 page, 2 semaphore, 3–6 the rectangle's start x, y, end x, y, 7 tiles that receive, 8 what
// to add, 9 how often, 10 L1 scratch address.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const auto output = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    const uint32_t semaphore = get_arg_val<uint32_t>(2);
    const uint32_t start_x = get_arg_val<uint32_t>(3);
    const uint32_t start_y = get_arg_val<uint32_t>(4);
    const uint32_t end_x = get_arg_val<uint32_t>(5);
    const uint32_t end_y = get_arg_val<uint32_t>(6);
    const uint32_t receivers = get_arg_val<uint32_t>(7);
    const uint32_t value = get_arg_val<uint32_t>(8);
    const uint32_t times = get_arg_val<uint32_t>(9);
    const uint32_t scratch = get_arg_val<uint32_t>(10);

    const uint64_t counts = get_noc_multicast_addr(start_x, start_y, end_x, end_y, get_semaphore(semaphore));
    for (uint32_t time = 0; time < times; ++time) {
        noc_semaphore_inc_multicast(counts, value, receivers);
    }
    noc_async_atomic_barrier();
    invalidate_l1_cache();
    const uint32_t own = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(semaphore));
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(scratch);
    *word = own;
    // The word must be in L1 before a request reads it.
    while (*word != own) {
    }
    noc_async_write(scratch, output.get_noc_addr(get_arg_val<uint32_t>(1)), 4);
    noc_async_write_barrier();
}

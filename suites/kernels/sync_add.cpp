// Adds to a semaphore of a tile several times; the core that writes the result waits for all.
// BY_HAND: by a load, an addition and a store.
// Runtime arguments: 0 semaphore, 1 and 2 the tile's NoC coordinates, 3 times, 4 sum to wait for, 5 L1 address of the
// result, or 0, 6 clocks before.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(0));
    volatile tt_l1_ptr uint32_t* count = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    const uint64_t there = get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), semaphore);
    const uint32_t times = get_arg_val<uint32_t>(3);
    const uint32_t sum = get_arg_val<uint32_t>(4);
    volatile tt_l1_ptr uint32_t* result = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(5));

    riscv_wait(get_arg_val<uint32_t>(6));
    for (uint32_t i = 0; i < times; ++i) {
#ifdef BY_HAND
        *count = *count + 1;
#else
        noc_semaphore_inc(there, 1);
#endif
    }
    noc_async_atomic_barrier();
    if (result != nullptr) {
        noc_semaphore_wait(count, sum);
        *result = sum;
    }
}

// Increments a semaphore of another core in batches.
// Runtime arguments: 0 semaphore, 1 and 2 the other core's NoC coordinates, 3 batches, 4 increments of a batch, 5 clocks
// between two increments, 6 whether a batch begins when the other core has asked for it, 7 semaphore by which it asks.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint64_t credits =
        get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_semaphore(get_arg_val<uint32_t>(0)));
    const uint32_t batches = get_arg_val<uint32_t>(3);
    const uint32_t size = get_arg_val<uint32_t>(4);
    const uint32_t pause = get_arg_val<uint32_t>(5);
    const bool waits = get_arg_val<uint32_t>(6) != 0;
    volatile tt_l1_ptr uint32_t* asked =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(7)));

    for (uint32_t batch = 0; batch < batches; ++batch) {
        if (waits) {
            noc_semaphore_wait_min(asked, batch + 1);
        }
        for (uint32_t credit = 0; credit < size; ++credit) {
            riscv_wait(pause);
            noc_semaphore_inc(credits, 1);
        }
    }
    noc_async_atomic_barrier();
}

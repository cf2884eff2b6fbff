// Waits for batches of increments and says how many came.
// Runtime arguments: 0 semaphore, 1 and 2 the other core's NoC coordinates, 3 batches, 4 increments of a batch, 5 L1
// address of the result, 6 whether the other core is asked for each batch, 7 semaphore by which it is asked, 8 whether
// the semaphore begins with 0 for each batch; else the count grows.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* credits =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    const uint32_t batches = get_arg_val<uint32_t>(3);
    const uint32_t size = get_arg_val<uint32_t>(4);
    volatile tt_l1_ptr uint32_t* result = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(5));
    const bool asks = get_arg_val<uint32_t>(6) != 0;
    const bool resets = get_arg_val<uint32_t>(8) != 0;
    const uint64_t ask =
        get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_semaphore(get_arg_val<uint32_t>(7)));

    for (uint32_t batch = 0; batch < batches; ++batch) {
        if (asks) {
            noc_semaphore_inc(ask, 1);
        }
        if (resets) {
            noc_semaphore_wait_min(credits, size);
            noc_semaphore_set(credits, 0);
        } else {
            noc_semaphore_wait_min(credits, (batch + 1) * size);
        }
    }
    noc_async_atomic_barrier();
    *result = batches * size;
}

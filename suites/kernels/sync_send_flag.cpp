// Sends a flag to a rectangle, and stores to its own copy for the next round.
// Runtime arguments: 0 semaphore, 1–4 the rectangle's start x, y, end x, y, 5 tiles that receive, 6 clocks between, 7 value
// of the next round, 8 whether the flag has left before (noc_async_writes_flushed).

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(0));
    volatile tt_l1_ptr uint32_t* flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    const uint64_t rectangle =
        get_noc_multicast_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3),
                               get_arg_val<uint32_t>(4), semaphore);

    noc_semaphore_set(flag, 7);
    noc_semaphore_set_multicast(semaphore, rectangle, get_arg_val<uint32_t>(5));
    riscv_wait(get_arg_val<uint32_t>(6));
    if (get_arg_val<uint32_t>(8) != 0) {
        noc_async_writes_flushed();
    }
    noc_semaphore_set(flag, get_arg_val<uint32_t>(7));
    noc_async_write_barrier();
}

// Raises a flag of another core in several rounds, in each when it is told to.
// Runtime arguments: 0 semaphore that is the flag, 1 and 2 the other core's NoC coordinates, 3 semaphore by which it is
// told, 4 rounds, 5 the way: 0 a write, 1 an inline write, 2 a multicast.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t flag = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    volatile tt_l1_ptr uint32_t* ready =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(3)));
    const uint32_t rounds = get_arg_val<uint32_t>(4);
    const uint32_t way = get_arg_val<uint32_t>(5);

    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(flag), 1);
    for (uint32_t round = 0; round < rounds; ++round) {
        noc_semaphore_wait_min(ready, round + 1);
        if (way == 0) {
            noc_semaphore_set_remote(flag, get_noc_addr(x, y, flag));
        } else if (way == 1) {
            noc_inline_dw_write(get_noc_addr(x, y, flag), 1);
        } else {
            noc_semaphore_set_multicast(flag, get_noc_multicast_addr(x, y, x, y, flag), 1);
        }
        noc_async_write_barrier();
    }
}

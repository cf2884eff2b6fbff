// Raises a flag of its own tile in several rounds, in each when it is told to.
// Runtime arguments: 0 semaphore that is the flag, 1 semaphore by which it is told, 2 rounds.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* flag =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    volatile tt_l1_ptr uint32_t* ready =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(1)));
    const uint32_t rounds = get_arg_val<uint32_t>(2);

    for (uint32_t round = 0; round < rounds; ++round) {
        noc_semaphore_wait_min(ready, round + 1);
        noc_semaphore_set(flag, 1);
    }
}

// Waits for a flag in several rounds and says so. The flag is set back before or after the sender is told to go on.
// Runtime arguments: 0 semaphore that is the flag, 1 and 2 the sender's NoC coordinates, 3 semaphore that tells the sender,
// 4 rounds, 5 whether the flag is set back first, 6 clocks before it is set back, 7 L1 address of the result.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* flag =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    const uint64_t ready =
        get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_semaphore(get_arg_val<uint32_t>(3)));
    const uint32_t rounds = get_arg_val<uint32_t>(4);
    const bool first = get_arg_val<uint32_t>(5) != 0;

    for (uint32_t round = 0; round < rounds; ++round) {
        if (!first) {
            noc_semaphore_inc(ready, 1);
        }
        riscv_wait(get_arg_val<uint32_t>(6));
        noc_semaphore_set(flag, 0);
        if (first) {
            noc_semaphore_inc(ready, 1);
        }
        noc_semaphore_wait(flag, 1);
    }
    noc_async_atomic_barrier();
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(7)) = 10 * rounds;
}

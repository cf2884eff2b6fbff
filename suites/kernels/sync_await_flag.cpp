// Waits for a flag, tells another core, stores words to the flag one after the other, and says so.
// Runtime arguments: 0 semaphore that is the flag, 1 value to wait for, 2 whether a greater one will do, 3 L1 address of the
// result, 4 semaphore by which cores are told, 5 whether another core is told, 6 and 7 its NoC coordinates, 8 words; of each
// word 9 its value, 10 clocks before, 11 whether this core waits until it is told before.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* flag =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    const uint32_t value = get_arg_val<uint32_t>(1);
    const uint32_t told = get_semaphore(get_arg_val<uint32_t>(4));
    const uint32_t words = get_arg_val<uint32_t>(8);

    if (get_arg_val<uint32_t>(2) != 0) {
        noc_semaphore_wait_min(flag, value);
    } else {
        noc_semaphore_wait(flag, value);
    }
    if (get_arg_val<uint32_t>(5) != 0) {
        noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(6), get_arg_val<uint32_t>(7), told), 1);
        noc_async_atomic_barrier();
    }
    for (uint32_t word = 0; word < words; ++word) {
        riscv_wait(get_arg_val<uint32_t>(10 + 3 * word));
        if (get_arg_val<uint32_t>(11 + 3 * word) != 0) {
            noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(told), 1);
        }
        noc_semaphore_set(flag, get_arg_val<uint32_t>(9 + 3 * word));
    }
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(3)) = 7;
}

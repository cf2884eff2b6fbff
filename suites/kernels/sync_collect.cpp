// Waits for cores that count up, and adds the numbers that they have written.
// Runtime arguments: 0 semaphore that counts, 1 cores, 2 L1 address of the numbers, 3 L1 address of the sum, 4 the way: 0
// waits until all have counted, 1 for one fewer, 2 for exactly all, 3 for exactly 1, 2, … one after the other, 4 the same
// and asks the next core before, 5 clocks before, 6 semaphore by which a core is asked, 7 NoC coordinates of the cores.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* count =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    const uint32_t cores = get_arg_val<uint32_t>(1);
    volatile tt_l1_ptr uint32_t* numbers = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(2));
    const uint32_t way = get_arg_val<uint32_t>(4);
    const uint32_t asked = get_semaphore(get_arg_val<uint32_t>(6));

    riscv_wait(get_arg_val<uint32_t>(5));
    if (way == 0) {
        noc_semaphore_wait_min(count, cores);
    } else if (way == 1) {
        noc_semaphore_wait_min(count, cores - 1);
    } else if (way == 2) {
        noc_semaphore_wait(count, cores);
    } else {
        for (uint32_t seen = 1; seen <= cores; ++seen) {
            if (way == 4) {
                const uint32_t at = 5 + 2 * seen;
                noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(at), get_arg_val<uint32_t>(at + 1), asked), 1);
            }
            noc_semaphore_wait(count, seen);
        }
        noc_async_atomic_barrier();
    }
    uint32_t sum = 0;
    for (uint32_t core = 0; core < cores; ++core) {
        sum += numbers[core];
    }
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(3)) = sum;
}

// Writes words to a flag of another core, one after the other.
// Runtime arguments: 0 semaphore that is the flag, 1 and 2 the other core's NoC coordinates, 3 the way: 0 a write, 1 an
// inline write, 2 a multicast, 3 an increment of 0 by the word, or an inline write of 0, 4 semaphore by which this core is
// told, 5 words; of each word 6 its value, 7 clocks before, 8 whether this core waits until it is told before.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t flag = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    const uint64_t there = get_noc_addr(x, y, flag);
    const uint32_t way = get_arg_val<uint32_t>(3);
    volatile tt_l1_ptr uint32_t* told =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(4)));
    const uint32_t words = get_arg_val<uint32_t>(5);

    for (uint32_t word = 0; word < words; ++word) {
        const uint32_t value = get_arg_val<uint32_t>(6 + 3 * word);
        riscv_wait(get_arg_val<uint32_t>(7 + 3 * word));
        if (get_arg_val<uint32_t>(8 + 3 * word) != 0) {
            noc_semaphore_wait_min(told, 1);
        }
        if (way == 3 && value != 0) {
            noc_semaphore_inc(there, value);
            noc_async_atomic_barrier();
        } else if (way == 1 || way == 3) {
            noc_inline_dw_write(there, value);
        } else {
            noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(flag), value);
            if (way == 0) {
                noc_semaphore_set_remote(flag, there);
            } else {
                noc_semaphore_set_multicast(flag, get_noc_multicast_addr(x, y, x, y, flag), 1);
            }
        }
        noc_async_write_barrier();
    }
}

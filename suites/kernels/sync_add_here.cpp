// Adds to a semaphore of its own tile several times, each time by a load, an addition and a store, once the semaphore has a
// value; a core that writes a result waits for the sum first.
// Runtime arguments: 0 semaphore, 1 value to wait for at first, 2 times, 3 sum to wait for, 4 L1 address of the result, or
// 0, 5 clocks before.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* count =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t times = get_arg_val<uint32_t>(2);
    const uint32_t sum = get_arg_val<uint32_t>(3);
    volatile tt_l1_ptr uint32_t* result = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(4));

    riscv_wait(get_arg_val<uint32_t>(5));
    if (first != 0) {
        noc_semaphore_wait_min(count, first);
    }
    for (uint32_t i = 0; i < times; ++i) {
        *count = *count + 1;
    }
    if (result != nullptr) {
        noc_semaphore_wait(count, sum);
        *result = sum;
    }
}

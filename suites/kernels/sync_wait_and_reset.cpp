// Waits for a flag and says so. RESETS: sets the flag back then. TELLS: tells the other core of the tile first that it has
// seen the flag, or with RESETS, waits until the other core has told.
// Runtime arguments: 0 semaphore that is the flag, 1 semaphore by which the other core tells, 2 L1 address of the result,
// 3 clocks between the wait and what follows.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const auto flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    [[maybe_unused]] const auto told =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(1)));

    noc_semaphore_wait(flag, 1);
    riscv_wait(get_arg_val<uint32_t>(3));
#ifdef RESETS
#ifdef TELLS
    noc_semaphore_wait(told, 1);
#endif
    noc_semaphore_set(flag, 0);
#elif defined(TELLS)
    noc_semaphore_set(told, 1);
#endif
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(2)) = 7;
}

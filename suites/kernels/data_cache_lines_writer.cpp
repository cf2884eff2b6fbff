// Waits until the other core has begun, changes a word of each of some lines, and says so through a circular buffer.
// Runtime arguments: 0 L1 address of the lines, 1 their new value, 2 semaphore, 3 lines.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    const uint32_t value = get_arg_val<uint32_t>(1);
    const uint32_t lines = get_arg_val<uint32_t>(3);
    volatile tt_l1_ptr uint32_t* changes =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(2)));
    noc_semaphore_wait(changes, 1);
    for (uint32_t line = 0; line < lines; ++line) {
        noc_semaphore_set(words + 4 * line, value);
    }
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
}

// Waits until the other core has begun, changes the word, and says so through a circular buffer, or not at all.
// Runtime arguments: 0 L1 address of the word, 1 its new value, 2 semaphore, 3 says so.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    const uint32_t value = get_arg_val<uint32_t>(1);
    volatile tt_l1_ptr uint32_t* changes =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(2)));
    noc_semaphore_wait(changes, 1);
    noc_semaphore_set(word, value);
    if (get_arg_val<uint32_t>(3) != 0) {
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
    }
}

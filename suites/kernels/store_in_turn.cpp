// Stores a number to a word of a circular buffer that serves as memory, or with PLAIN of any memory. A semaphore orders the
// store with that of another core: WAITS for the other one, or tells it (TELLS), or neither.
// Runtime arguments: 0 circular buffer, or with PLAIN an L1 address, 1 the word's place in bytes, 2 number, 3 semaphore,
// 4 with WAITS the L1 address to which the word is copied.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
#ifdef PLAIN
    const uint32_t first = get_arg_val<uint32_t>(0);
#else
    const uint32_t first = get_write_ptr(get_arg_val<uint32_t>(0));
#endif
    const auto word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(first + get_arg_val<uint32_t>(1));
    [[maybe_unused]] const auto semaphore =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(3)));
#ifdef WAITS
    noc_semaphore_wait(semaphore, 1);
#endif
    *word = get_arg_val<uint32_t>(2);
#ifdef TELLS
    noc_semaphore_set(semaphore, 1);
#endif
#ifdef WAITS
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(4)) = *word;
#endif
}

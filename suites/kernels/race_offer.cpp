// Fills a line of its L1 with numbers and says so to another tile by that tile's semaphore.
// Runtime arguments: 0 L1 address of the line, 1 words, 2 first number, 3 semaphore, 4 and 5 the tile's NoC
// coordinates.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* line = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    const uint32_t words = get_arg_val<uint32_t>(1);
    const uint32_t number = get_arg_val<uint32_t>(2);

    for (uint32_t word = 0; word < words; ++word) {
        noc_semaphore_set(line + word, number + word);
    }
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5),
                                   get_semaphore(get_arg_val<uint32_t>(3))),
                      1);
    noc_async_atomic_barrier();
}

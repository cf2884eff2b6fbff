// Fills pages of a circular buffer with numbers. RESERVE says when it asks for room: 0 before it fills a page, as it
// must, or 1 after that.
// Compile-time arguments: 0 circular buffer.
// Runtime arguments: 0 pages, 1 words of a page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    const uint32_t pages = get_arg_val<uint32_t>(0);
    const uint32_t words = get_arg_val<uint32_t>(1);

    for (uint32_t page = 0; page < pages; ++page) {
#if RESERVE == 0
        cb_reserve_back(cb, 1);
#endif
        volatile tt_l1_ptr uint32_t* place = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
        for (uint32_t word = 0; word < words; ++word) {
            noc_semaphore_set(place + word, page * words + word);
        }
#if RESERVE == 1
        cb_reserve_back(cb, 1);
#endif
        cb_push_back(cb, 1);
    }
}

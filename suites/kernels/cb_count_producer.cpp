// Pushes pages whose first words count from 0 through a circular buffer, `block` pages at a time.
// Compile-time arguments: 0 circular buffer, 1 pages per block.
// Runtime arguments: 0 pages (a multiple of the block).

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t block = get_compile_time_arg_val(1);
    const uint32_t pages = get_arg_val<uint32_t>(0);

    const uint32_t page_size = get_local_cb_interface(cb).fifo_page_size;
    uint32_t number = 0;
    while (number < pages) {
        cb_reserve_back(cb, block);
        uint32_t l1_address = get_write_ptr(cb);
        volatile tt_l1_ptr uint32_t* word = nullptr;
        for (uint32_t page = 0; page < block; ++page) {
            word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
            *word = number++;
            l1_address += page_size;
        }
        // The words must be in L1 before the consumer learns of them.
        while (*word != number - 1) {
        }
        cb_push_back(cb, block);
    }
}

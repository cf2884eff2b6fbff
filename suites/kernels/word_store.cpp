// Fills a line of this core and then raises a word of this core.
// Runtime arguments: 0 L1 address of the line, 1 its size in bytes, 2 L1 address of the word, 3 its value, 4 clocks before,
// 5 whether the line is filled.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* line = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    const uint32_t words = get_arg_val<uint32_t>(1) / 4;

    riscv_wait(get_arg_val<uint32_t>(4));
    if (get_arg_val<uint32_t>(5) != 0) {
        for (uint32_t word = 0; word < words; ++word) {
            line[word] = 500 + word;
        }
    }
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(2)), get_arg_val<uint32_t>(3));
}

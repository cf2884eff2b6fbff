// Fills a page of circular buffer 0 and writes it to the same place of another tile, which a core keeps for some time.
// Runtime arguments: 0 and 1 the other tile's NoC coordinates, 2 clocks before; if they are 0 and 0, the core does no more
// than wait.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t x = get_arg_val<uint32_t>(0);
    const uint32_t y = get_arg_val<uint32_t>(1);

    riscv_wait(get_arg_val<uint32_t>(2));
    if (x == 0 && y == 0) {
        return;
    }
    const uint32_t page = get_write_ptr(0);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(page);
    for (uint32_t word = 0; word < 8; ++word) {
        noc_semaphore_set(words + word, 100 + word);
    }
    noc_async_write(page, get_noc_addr(x, y, page), 32);
    noc_async_write_barrier();
}

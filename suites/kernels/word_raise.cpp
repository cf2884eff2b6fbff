// Sends a line to another core and then raises a word there.
// Runtime arguments: 0 L1 address of the line, 1 its size in bytes, 2 L1 address of the word, both the same everywhere,
// 3 and 4 the other core's NoC coordinates, 5 the way: 0 a write of the word, 1 an inline write, 2 a multicast, 3 an
// increment, 4 writes of 1, 2 and 3, 5 nothing, 6 clocks before, 7 whether the line has arrived before the word is raised.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t line = get_arg_val<uint32_t>(0);
    const uint32_t size = get_arg_val<uint32_t>(1);
    const uint32_t word = get_arg_val<uint32_t>(2);
    const uint32_t x = get_arg_val<uint32_t>(3);
    const uint32_t y = get_arg_val<uint32_t>(4);
    const uint32_t way = get_arg_val<uint32_t>(5);
    volatile tt_l1_ptr uint32_t* own = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(word);
    const uint64_t there = get_noc_addr(x, y, word);

    riscv_wait(get_arg_val<uint32_t>(6));
    noc_async_write(line, get_noc_addr(x, y, line), size);
    if (get_arg_val<uint32_t>(7) != 0) {
        noc_async_write_barrier();
    }
    if (way == 0) {
        noc_semaphore_set(own, 3);
        noc_semaphore_set_remote(word, there);
    } else if (way == 1) {
        noc_inline_dw_write(there, 3);
    } else if (way == 2) {
        noc_semaphore_set(own, 3);
        noc_semaphore_set_multicast(word, get_noc_multicast_addr(x, y, x, y, word), 1);
    } else if (way == 3) {
        noc_semaphore_inc(there, 3);
    } else if (way == 4) {
        for (uint32_t count = 1; count <= 3; ++count) {
            noc_semaphore_set(own, count);
            noc_semaphore_set_remote(word, there);
            noc_async_writes_flushed();
        }
    }
    noc_async_full_barrier();
}

// Sends the pages of a circular buffer to the same circular buffer of another core, a block at a time. The buffer lies at one
// place on both cores, and both count the same pages, so a page has the same address there.
// Compile-time arguments: 0 circular buffer, 1 pages of a block.
// Runtime arguments: 0 semaphore that says "room", 1 semaphore that counts the blocks that came (at the receiver), 2 and 3 the
// receiver's NoC coordinates, 4 blocks.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t block = get_compile_time_arg_val(1);
    volatile tt_l1_ptr uint32_t* room =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    const uint32_t came = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t x = get_arg_val<uint32_t>(2);
    const uint32_t y = get_arg_val<uint32_t>(3);
    const uint32_t blocks = get_arg_val<uint32_t>(4);

    const uint32_t size = block * get_local_cb_interface(cb).fifo_page_size;
    for (uint32_t sent = 0; sent < blocks; ++sent) {
        cb_wait_front(cb, block);
        noc_semaphore_wait_min(room, sent + 1);
        const uint32_t address = get_read_ptr(cb);
        noc_async_write(address, get_noc_addr(x, y, address), size);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(x, y, came), 1);
        cb_pop_front(cb, block);
    }
    noc_async_atomic_barrier();
}

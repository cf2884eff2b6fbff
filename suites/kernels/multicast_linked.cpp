// Sends a line to a rectangle of tiles in pieces and a flag after them, all of which keep the way that the first one
// took: each but the last is linked to the one after it.
// Runtime arguments: 0 L1 address of the line, the same everywhere, 1 semaphore that says "sent", 2–5 the rectangle's
// start x, y, end x, y, 6 tiles that receive, 7 size of a piece in bytes, 8 pieces.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t l1_address = get_arg_val<uint32_t>(0);
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t start_x = get_arg_val<uint32_t>(2);
    const uint32_t start_y = get_arg_val<uint32_t>(3);
    const uint32_t end_x = get_arg_val<uint32_t>(4);
    const uint32_t end_y = get_arg_val<uint32_t>(5);
    const uint32_t receivers = get_arg_val<uint32_t>(6);
    const uint32_t size = get_arg_val<uint32_t>(7);
    const uint32_t pieces = get_arg_val<uint32_t>(8);

    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sent), 1);
    for (uint32_t piece = 0; piece < pieces; ++piece) {
        const uint32_t address = l1_address + piece * size;
        noc_async_write_multicast(address, get_noc_multicast_addr(start_x, start_y, end_x, end_y, address), size,
                                  receivers, true);
    }
    // As TT-Metalium's kernels do on Blackhole; the flag cannot pass the data in any case.
    noc_async_writes_flushed();
    noc_semaphore_set_multicast(sent, get_noc_multicast_addr(start_x, start_y, end_x, end_y, sent), receivers, false);
    noc_async_write_barrier();
}

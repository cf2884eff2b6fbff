// Sends a line to a rectangle of tiles and a flag after it, without waiting for the line to arrive: on one
// virtual channel the flag cannot pass it. With FLUSH defined it waits for the line to leave, as TT-Metalium's kernels
// do on Blackhole. With INCREMENT defined it adds to the flags instead.
// Runtime arguments: 0 L1 address of the line, the same everywhere, 1 semaphore that says "sent", 2–5 the
// rectangle's start x, y, end x, y, 6 tiles that receive, 7 size in bytes.

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

#ifndef INCREMENT
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sent), 1);
#endif
    noc_async_write_multicast(l1_address, get_noc_multicast_addr(start_x, start_y, end_x, end_y, l1_address),
                              get_arg_val<uint32_t>(7), receivers);
#ifdef FLUSH
    noc_async_writes_flushed();
#endif
    const uint64_t flags = get_noc_multicast_addr(start_x, start_y, end_x, end_y, sent);
#ifdef INCREMENT
    noc_semaphore_inc_multicast(flags, 1, receivers);
    noc_async_atomic_barrier();
#else
    noc_semaphore_set_multicast(sent, flags, receivers);
#endif
    noc_async_write_barrier();
}

// Sends a line to another tile and then says so by its semaphore there, which goes over NoC FLAG_NOC. WAIT says what
// it waits for in between: 0 nothing, 1 that the line has left, 2 that it has arrived. With MULTICAST defined all
// tiles of a rectangle receive.
// Runtime arguments: 0 L1 address of the line, 1 L1 address where it goes, 2 semaphore, 3 bytes, 4 and 5 the tile's
// NoC coordinates or those of the rectangle's first corner, 6 and 7 its last corner, 8 tiles that receive.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

#ifdef MULTICAST
// On NoC 1 the rectangle starts at its other corner.
static uint64_t rectangle(uint32_t address, uint8_t noc) {
    const uint32_t first = noc == 0 ? 4 : 6;
    const uint32_t last = noc == 0 ? 6 : 4;
    return get_noc_multicast_addr(get_arg_val<uint32_t>(first), get_arg_val<uint32_t>(first + 1),
                                  get_arg_val<uint32_t>(last), get_arg_val<uint32_t>(last + 1), address, noc);
}
#endif

void kernel_main() {
    const uint32_t line = get_arg_val<uint32_t>(0);
    const uint32_t there = get_arg_val<uint32_t>(1);
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(2));
    const uint32_t bytes = get_arg_val<uint32_t>(3);

#ifdef MULTICAST
    const uint32_t receivers = get_arg_val<uint32_t>(8);
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 1);
    noc_async_write_multicast(line, rectangle(there, noc_index), bytes, receivers);
#else
    const uint32_t x = get_arg_val<uint32_t>(4);
    const uint32_t y = get_arg_val<uint32_t>(5);
    noc_async_write(line, get_noc_addr(x, y, there), bytes);
#endif
#if WAIT == 1
    noc_async_writes_flushed();
#elif WAIT == 2
    noc_async_write_barrier();
#endif
#ifdef MULTICAST
    noc_semaphore_set_multicast(semaphore, rectangle(semaphore, FLAG_NOC), receivers, false, FLAG_NOC);
    noc_async_write_barrier(FLAG_NOC);
#else
    noc_semaphore_inc(get_noc_addr(x, y, semaphore, FLAG_NOC), 1, FLAG_NOC);
    noc_async_atomic_barrier(FLAG_NOC);
#endif
    noc_async_write_barrier();
}

// Sends the first half of a line to a rectangle by a multicast that is linked, makes another request, and closes the
// path with the second half.
// Runtime arguments: 0 L1 address of the line, the same everywhere, 1 size in bytes, 2–5 the rectangle's start x, y,
// end x, y, 6 tiles that receive, 7 the request between: 0 none, 1 a write to the last tile, 2 a multicast to the last
// tile alone, 3 a multicast to the rectangle on another virtual channel, 4 a linked multicast to the rectangle, 5 an
// increment on this tile, 6 none, and the path stays open, 8 semaphore.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t line = get_arg_val<uint32_t>(0);
    const uint32_t half = get_arg_val<uint32_t>(1) / 2;
    const uint32_t start_x = get_arg_val<uint32_t>(2);
    const uint32_t start_y = get_arg_val<uint32_t>(3);
    const uint32_t end_x = get_arg_val<uint32_t>(4);
    const uint32_t end_y = get_arg_val<uint32_t>(5);
    const uint32_t receivers = get_arg_val<uint32_t>(6);
    const uint32_t between = get_arg_val<uint32_t>(7);
    const uint32_t second = line + half;
    const uint64_t rectangle = get_noc_multicast_addr(start_x, start_y, end_x, end_y, second);

    noc_async_write_multicast(line, get_noc_multicast_addr(start_x, start_y, end_x, end_y, line), half, receivers, true);
    if (between == 1) {
        noc_async_write(second, get_noc_addr(end_x, end_y, second), half);
    } else if (between == 2) {
        noc_async_write_multicast(second, get_noc_multicast_addr(end_x, end_y, end_x, end_y, second), half, 1);
    } else if (between == 3) {
        noc_async_write_multicast(second, rectangle, half, receivers, false, noc_index, NOC_MULTICAST_WRITE_VC + 1);
    } else if (between == 4) {
        noc_async_write_multicast(second, rectangle, half, receivers, true);
    } else if (between == 5) {
        noc_semaphore_inc(get_noc_addr(get_semaphore(get_arg_val<uint32_t>(8))), 1);
    }
    if (between != 6) {
        noc_async_write_multicast(second, rectangle, half, receivers, false);
    }
    noc_async_full_barrier();
}

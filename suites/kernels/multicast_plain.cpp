// Sends a line to a rectangle of tiles, and waits for as many acknowledgements as it is told.
// With LOOPBACK defined a sender inside the rectangle receives too.
// On NoC 1 the start of the rectangle is the corner with the greater coordinates.
// Runtime arguments: 0 L1 address of the line that is sent, 1 L1 address where it lands, 2–5 the rectangle's
// start x, y, end x, y, 6 tiles that receive, 7 size in bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint64_t rectangle =
        get_noc_multicast_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                               get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(1));
#ifdef LOOPBACK
    noc_async_write_multicast_loopback_src(get_arg_val<uint32_t>(0), rectangle, get_arg_val<uint32_t>(7),
                                           get_arg_val<uint32_t>(6));
#else
    noc_async_write_multicast(get_arg_val<uint32_t>(0), rectangle, get_arg_val<uint32_t>(7),
                              get_arg_val<uint32_t>(6));
#endif
    noc_async_write_barrier();
}

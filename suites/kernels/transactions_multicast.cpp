// A multicast counts as one request and as many acknowledgements as it has receivers, so it leaves the count of
// its transaction identifier wrong (tt-isa-documentation, NoC/Counters.md). Setting the counts back mends that:
// the barrier after it returns.
// Runtime arguments: 0 L1 address of the line that is sent, 1 L1 address where it lands, 2–5 the rectangle's
// start x, y, end x, y, 6 receivers, 7 size in bytes, 8 identifier.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint64_t rectangle =
        get_noc_multicast_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                               get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(1));
    const uint32_t identifier = get_arg_val<uint32_t>(8);

    noc_async_write_set_trid(identifier);
    noc_async_write_multicast(get_arg_val<uint32_t>(0), rectangle, get_arg_val<uint32_t>(7),
                              get_arg_val<uint32_t>(6));
    noc_async_write_barrier();
    reset_noc_trid_barrier_counter();
    noc_async_write_barrier_with_trid(identifier);
    noc_async_write_set_trid(0);
}

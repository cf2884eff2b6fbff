// Multicasts 32 bytes under a transaction identifier, waits for all writes, and then by an identifier's count. It leaves the
// identifier set when it ends.
// Runtime arguments: 0 L1 address here, 1 L1 address there, 2–5 the rectangle's start x, y, end x, y, 6 receivers, 0 for no
// multicast, 7 identifier to set, 8 identifier to wait by; 16 for neither.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint64_t rectangle =
        get_noc_multicast_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                               get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(1));
    const uint32_t receivers = get_arg_val<uint32_t>(6);
    const uint32_t identifier = get_arg_val<uint32_t>(7);
    const uint32_t waits_by = get_arg_val<uint32_t>(8);

    if (identifier < 16) {
        noc_async_write_set_trid(identifier);
    }
    if (receivers > 0) {
        noc_async_write_multicast(get_arg_val<uint32_t>(0), rectangle, 32, receivers);
        noc_async_write_barrier();
    }
    if (waits_by < 16) {
        noc_async_write_barrier_with_trid(waits_by);
    }
}

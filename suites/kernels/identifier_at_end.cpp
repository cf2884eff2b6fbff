// Writes 16 bytes to another core and reads them back, both under a transaction identifier.
// Define: SETS_BACK, whether its later writes have identifier 0 again when it ends. That of reads stays.
// Runtime arguments: 0 L1 address here, of 32 bytes, 1 L1 address there, 2 and 3 the other core's NoC coordinates,
// 4 identifier.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t here = get_arg_val<uint32_t>(0);
    const uint64_t there = get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(1));
    const uint32_t identifier = get_arg_val<uint32_t>(4);

    noc_async_write_one_packet_with_trid(here, there, 16, identifier);
    noc_async_write_barrier_with_trid(identifier);
    noc_async_read_set_trid(identifier);
    noc_async_read(there, here + 16, 16);
    noc_async_read_barrier_with_trid(identifier);
#if SETS_BACK
    noc_async_write_set_trid(0);
#endif
    noc_async_full_barrier();
}

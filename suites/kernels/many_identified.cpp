// Makes many requests of 16 bytes with one transaction identifier, or with two, and waits by its count.
// Defines: REQUEST, 0 writes and 1 reads; BETWEEN, what it waits for after each part: 0 nothing, 1 the identifier's
// requests, 2 all writes, 3 that all writes have left; AT_END, the last wait before the barrier: 0 none, 1 for the
// identifier's requests, 2 that the identifier's writes have left.
// Runtime arguments: 0 L1 address here, 1 L1 address there, 2 and 3 the other core's NoC coordinates, 4 requests,
// 5 requests of each part, 6 identifier of even parts, 7 of odd ones.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void request(uint32_t here, uint64_t there, uint32_t identifier) {
#if REQUEST == 0
    noc_async_write_one_packet_with_trid(here, there, 16, identifier);
#else
    noc_async_read_set_trid(identifier);
    noc_async_read(there, here, 16);
#endif
}

void wait_for(uint32_t identifier) {
#if REQUEST == 0
    noc_async_write_barrier_with_trid(identifier);
#else
    noc_async_read_barrier_with_trid(identifier);
#endif
}

void kernel_main() {
    const uint32_t here = get_arg_val<uint32_t>(0);
    const uint64_t there = get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(1));
    const uint32_t count = get_arg_val<uint32_t>(4);
    const uint32_t part = get_arg_val<uint32_t>(5);

    for (uint32_t number = 0; number < count; ++number) {
        const uint32_t identifier = get_arg_val<uint32_t>(number / part % 2 == 0 ? 6 : 7);
        request(here + 16 * number, there + 16 * number, identifier);
        if (number % part == part - 1) {
#if BETWEEN == 1
            wait_for(identifier);
#elif BETWEEN == 2
            noc_async_write_barrier();
#elif BETWEEN == 3
            noc_async_writes_flushed();
#endif
        }
    }
#if AT_END == 1
    wait_for(get_arg_val<uint32_t>(6));
    wait_for(get_arg_val<uint32_t>(7));
#elif AT_END == 2
    noc_async_write_flushed_with_trid(get_arg_val<uint32_t>(6));
#endif
    noc_async_write_set_trid(0);
    noc_async_full_barrier();
}

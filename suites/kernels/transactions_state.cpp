// Copies pieces of a bank to another one: reads under two identifiers in turn, set up once, and writes under
// the same two. What was read under the one is written while the other's reads are still outstanding.
// Runtime arguments: 0 L1 scratch address for all pieces, 1 source address, 2 source bank, 3 destination
// address, 4 destination bank, 5 size in bytes of a piece, at most one packet, 6 pieces, an even number.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t l1_address = get_arg_val<uint32_t>(0);
    const uint64_t source = get_noc_addr_from_bank_id<true>(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(1));
    const uint64_t destination =
        get_noc_addr_from_bank_id<true>(get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(3));
    const uint32_t size = get_arg_val<uint32_t>(5);
    const uint32_t pieces = get_arg_val<uint32_t>(6);

    reset_noc_trid_barrier_counter();
    noc_async_read_one_packet_set_state(source, size);
    for (uint32_t piece = 0; piece < pieces; ++piece) {
        const uint32_t identifier = 3 + piece % 2;
        noc_async_read_set_trid(identifier);
        noc_async_read_one_packet_with_state_with_trid(static_cast<uint32_t>(source), piece * size,
                                                       l1_address + piece * size, identifier);
    }
    noc_async_write_one_packet_with_trid_set_state(destination);
    for (uint32_t half = 0; half < 2; ++half) {
        noc_async_read_barrier_with_trid(3 + half);
        for (uint32_t piece = half; piece < pieces; piece += 2) {
            noc_async_write_one_packet_with_trid_with_state(
                l1_address + piece * size, static_cast<uint32_t>(destination) + piece * size, size, 3 + half);
        }
    }
    noc_async_write_flushed_with_trid(3);
    noc_async_write_flushed_with_trid(4);
    noc_async_write_barrier_with_trid(4);
    noc_async_write_barrier_with_trid(3);
    noc_async_read_set_trid(0);
    noc_async_write_set_trid(0);
}

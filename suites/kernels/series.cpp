// Copies a buffer of one DRAM bank to another in pieces, setting up what the transfers share only once: whole
// pieces of one packet, then in two transfers of `size` bytes each to a second place.
// Runtime arguments: 0 L1 scratch address, 1 source address, 2 source bank, 3 destination address,
// 4 destination bank, 5 size in bytes of a piece, at most one packet, 6 pieces, an even number,
// 7 second destination address.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t l1_address = get_arg_val<uint32_t>(0);
    const uint64_t source = get_noc_addr_from_bank_id<true>(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(1));
    const uint32_t bank = get_arg_val<uint32_t>(4);
    const uint64_t destination = get_noc_addr_from_bank_id<true>(bank, get_arg_val<uint32_t>(3));
    const uint64_t second = get_noc_addr_from_bank_id<true>(bank, get_arg_val<uint32_t>(7));
    const uint32_t size = get_arg_val<uint32_t>(5);
    const uint32_t pieces = get_arg_val<uint32_t>(6);

    noc_async_read_one_packet_set_state(source, size);
    for (uint32_t piece = 0; piece < pieces; ++piece) {
        noc_async_read_one_packet_with_state(static_cast<uint32_t>(source) + piece * size, l1_address + piece * size);
    }
    noc_async_read_barrier();
    noc_async_write_one_packet_set_state(destination, size);
    for (uint32_t piece = 0; piece < pieces; ++piece) {
        noc_async_write_one_packet_with_state(l1_address + piece * size,
                                              static_cast<uint32_t>(destination) + piece * size);
    }
    noc_async_write_barrier();

    const uint32_t half = pieces / 2 * size;
    noc_async_read_set_state(destination);
    noc_async_read_with_state(static_cast<uint32_t>(destination), l1_address + half, half);
    noc_async_read_with_state(static_cast<uint32_t>(destination) + half, l1_address, half);
    noc_async_read_barrier();
    noc_async_write_set_state(second);
    noc_async_write_with_state(l1_address + half, static_cast<uint32_t>(second), half);
    noc_async_write_with_state(l1_address, static_cast<uint32_t>(second) + half, half);
    noc_async_write_barrier();
}

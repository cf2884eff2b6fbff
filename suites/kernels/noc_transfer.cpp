// Reads bytes from a bank to this tile's L1 and writes them from there to another bank, at addresses and in a
// size that the arguments give. With ONE_PACKET defined each transfer is one packet, whatever its size.
// Compile-time arguments: 0 whether the source is in DRAM, 1 whether the destination is.
// Runtime arguments: 0 source bank, 1 source address, 2 L1 address between, 3 destination bank,
// 4 destination address, 5 size in bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr bool source_in_dram = get_compile_time_arg_val(0) != 0;
    constexpr bool destination_in_dram = get_compile_time_arg_val(1) != 0;
    const uint64_t source =
        get_noc_addr_from_bank_id<source_in_dram>(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1));
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint64_t destination =
        get_noc_addr_from_bank_id<destination_in_dram>(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4));
    const uint32_t size = get_arg_val<uint32_t>(5);

#ifdef ONE_PACKET
    noc_async_read_one_packet(source, l1_address, size);
    noc_async_read_barrier();
    noc_async_write_one_packet(l1_address, destination, size);
#else
    noc_async_read(source, l1_address, size);
    noc_async_read_barrier();
    noc_async_write(l1_address, destination, size);
#endif
    noc_async_write_barrier();
}

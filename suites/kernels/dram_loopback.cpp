// Copies `size` bytes from one DRAM bank through L1 to another, one packet after the other.
// Runtime arguments: 0 L1 scratch address, 1 source address, 2 source bank, 3 destination address,
// 4 destination bank, 5 size in bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t l1_address = get_arg_val<uint32_t>(0);
    const uint32_t source_address = get_arg_val<uint32_t>(1);
    const uint32_t source_bank = get_arg_val<uint32_t>(2);
    const uint32_t destination_address = get_arg_val<uint32_t>(3);
    const uint32_t destination_bank = get_arg_val<uint32_t>(4);
    const uint32_t size = get_arg_val<uint32_t>(5);

    noc_async_read(get_noc_addr_from_bank_id<true>(source_bank, source_address), l1_address, size);
    noc_async_read_barrier();
    noc_async_write(l1_address, get_noc_addr_from_bank_id<true>(destination_bank, destination_address), size);
    noc_async_write_barrier();
}

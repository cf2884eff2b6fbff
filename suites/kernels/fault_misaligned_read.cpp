// Reads from DRAM to an address whose place in a 32-byte line differs from the source's.
// Runtime arguments: 0 L1 address, a multiple of 32, 1 DRAM address in bank 0, a multiple of 32.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t l1_address = get_arg_val<uint32_t>(0);
    const uint32_t dram_address = get_arg_val<uint32_t>(1);
    noc_async_read(get_noc_addr_from_bank_id<true>(0, dram_address), l1_address + 16, 32);
    noc_async_read_barrier();
}

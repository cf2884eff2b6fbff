// Writes bytes of this tile's L1 to a bank of DRAM, at addresses and in a size that the arguments give.
// Runtime arguments: 0 L1 address, 1 bank, 2 address in the bank, 3 size in bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint64_t destination =
        get_noc_addr_from_bank_id<true>(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2));
    noc_async_write(get_arg_val<uint32_t>(0), destination, get_arg_val<uint32_t>(3));
    noc_async_write_barrier();
}

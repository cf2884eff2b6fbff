// Writes a word to a bank without a source in L1 of the kernel's own.
// Define: TO_DRAM, whether the bank is one of DRAM or of L1.
// Runtime arguments: 0 address in the bank, 1 number of the bank, 2 the word.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint64_t target = get_noc_addr_from_bank_id<TO_DRAM>(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(0));
    noc_inline_dw_write(target, get_arg_val<uint32_t>(2));
    noc_async_write_barrier();
}

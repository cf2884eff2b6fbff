// Copies what lies at an address in each bank to the bank that comes `shift` later, round all banks.
// Compile-time arguments: 0 whether the banks are those of DRAM, or else those of L1.
// Runtime arguments: 0 L1 scratch address, 1 source address, 2 destination address, 3 banks, 4 shift,
// 5 size in bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr bool dram = get_compile_time_arg_val(0) != 0;
    const uint32_t l1_address = get_arg_val<uint32_t>(0);
    const uint32_t source = get_arg_val<uint32_t>(1);
    const uint32_t destination = get_arg_val<uint32_t>(2);
    const uint32_t banks = get_arg_val<uint32_t>(3);
    const uint32_t shift = get_arg_val<uint32_t>(4);
    const uint32_t size = get_arg_val<uint32_t>(5);

    for (uint32_t bank = 0; bank < banks; ++bank) {
        noc_async_read(get_noc_addr_from_bank_id<dram>(bank, source), l1_address, size);
        noc_async_read_barrier();
        noc_async_write(l1_address, get_noc_addr_from_bank_id<dram>((bank + shift) % banks, destination), size);
        noc_async_write_barrier();
    }
}

// Deals a line of four words to every bank of L1 from one line of its own, which it writes anew as soon as
// the one before has left, not when it has arrived.
// With POSTED defined nobody acknowledges the writes.
// Runtime arguments: 0 L1 address of the line in each bank, 1 banks, 2 first number; each bank's words are 4
// greater than those of the bank before it, 3 L1 scratch address.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t line = get_arg_val<uint32_t>(0);
    const uint32_t banks = get_arg_val<uint32_t>(1);
    uint32_t number = get_arg_val<uint32_t>(2);
    const uint32_t l1_address = get_arg_val<uint32_t>(3);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t bank = 0; bank < banks; ++bank) {
        for (uint32_t word = 0; word < 4; ++word) {
            words[word] = number++;
        }
        // The words must be in L1 before a request reads them.
        while (words[3] != number - 1) {
        }
        const uint64_t destination = get_noc_addr_from_bank_id<false>(bank, line);
#ifdef POSTED
        noc_async_write<NOC_MAX_BURST_SIZE + 1, true, true>(l1_address, destination, 16);
        noc_async_posted_writes_flushed();
#else
        noc_async_write(l1_address, destination, 16);
        noc_async_writes_flushed();
#endif
    }
#ifdef POSTED
    // A read follows a write on its way, so what it returns has been written.
    for (uint32_t bank = 0; bank < banks; ++bank) {
        noc_async_read(get_noc_addr_from_bank_id<false>(bank, line), l1_address, 16);
        noc_async_read_barrier();
    }
#else
    noc_async_write_barrier();
#endif
}

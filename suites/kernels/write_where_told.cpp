// Waits until another kernel has raised a semaphore to an address in DRAM, and writes a line there.
// Runtime arguments: 0 semaphore, 1 bank, 2 L1 address of the line, 3 its size in bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* told =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    noc_semaphore_wait_min(told, 1);
    const uint64_t destination = get_noc_addr_from_bank_id<true>(get_arg_val<uint32_t>(1), *told);
    noc_async_write(get_arg_val<uint32_t>(2), destination, get_arg_val<uint32_t>(3));
    noc_async_write_barrier();
}

// Sends a number to a collecting tile: a word of its own, then one increment of the semaphore.
// Runtime arguments: 0 semaphore, 1 and 2 the collector's NoC coordinates, 3 L1 address of the collected
// words (at the collector), 4 rank, 5 number, 6 L1 scratch address.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    const uint32_t words = get_arg_val<uint32_t>(3);
    const uint32_t rank = get_arg_val<uint32_t>(4);
    const uint32_t number = get_arg_val<uint32_t>(5);
    const uint32_t l1_address = get_arg_val<uint32_t>(6);

    // Source and destination agree modulo 16 when each rank has 16 bytes.
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address), number);
    noc_async_write(l1_address, get_noc_addr(x, y, words + 16 * rank), 4);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, semaphore), 1);
    noc_async_atomic_barrier();
}

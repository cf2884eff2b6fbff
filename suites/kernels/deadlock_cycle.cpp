// Waits for its semaphore before it adds to the next tile's.
// Runtime arguments: 0 semaphore, 1 and 2 the next tile's NoC coordinates.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(0));
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 1);
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), semaphore), 1);
    noc_async_atomic_barrier();
}

// Writes bytes to the same place in another tile's L1 and adds one to its semaphore at once. With FLUSHED defined, the
// bytes have left before.
// Runtime arguments: 0 L1 address, 1 semaphore, 2 and 3 the other tile's NoC coordinates, 4 size in bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t l1_address = get_arg_val<uint32_t>(0);
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t x = get_arg_val<uint32_t>(2);
    const uint32_t y = get_arg_val<uint32_t>(3);

    noc_async_write(l1_address, get_noc_addr(x, y, l1_address), get_arg_val<uint32_t>(4));
#ifdef FLUSHED
    noc_async_writes_flushed();
#endif
    noc_semaphore_inc(get_noc_addr(x, y, semaphore), 1);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}

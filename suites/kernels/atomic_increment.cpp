// Adds a number to a counter in some tile's L1, `times` times.
// Runtime arguments: 0 and 1 the tile's NoC coordinates, 2 L1 address, a multiple of 16, 3 number, 4 times.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t x = get_arg_val<uint32_t>(0);
    const uint32_t y = get_arg_val<uint32_t>(1);
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t number = get_arg_val<uint32_t>(3);
    const uint32_t times = get_arg_val<uint32_t>(4);

    for (uint32_t time = 0; time < times; ++time) {
        noc_semaphore_inc(get_noc_addr(x, y, l1_address), number);
    }
    noc_async_atomic_barrier();
}

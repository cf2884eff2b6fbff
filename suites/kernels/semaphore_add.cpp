// Adds a number to a semaphore of another tile, `times` times.
// With POSTED defined nothing comes back, and the kernel ends when the requests have left.
// Runtime arguments: 0 semaphore, 1 and 2 the tile's NoC coordinates, 3 number, 4 times.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(0));
    const uint64_t place = get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), semaphore);
    const uint32_t number = get_arg_val<uint32_t>(3);
    const uint32_t times = get_arg_val<uint32_t>(4);

    for (uint32_t time = 0; time < times; ++time) {
#ifdef POSTED
        noc_semaphore_inc<true>(place, number);
#else
        noc_semaphore_inc(place, number);
#endif
    }
    noc_async_atomic_barrier();
}

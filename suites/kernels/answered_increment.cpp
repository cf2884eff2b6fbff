// Increments a word of another tile some times, waits until a word of its own tile has a value or a greater one, and ends
// without a barrier. With RECEIVERS, it increments the words of so many tiles, from the other tile to the one at the
// coordinates in arguments 6 and 7. With ANSWERS it waits first, increments the other tile's word once, and has a barrier.
// Runtime arguments: 0 L1 address of the own word, 1 and 2 the other tile's NoC coordinates, 3 L1 address of its word,
// 4 the value to wait for, 5 increments.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const auto own = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    const uint64_t other =
        get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3));
    const uint32_t awaited = get_arg_val<uint32_t>(4);

#if defined(ANSWERS)
    noc_semaphore_wait_min(own, awaited);
    noc_semaphore_inc(other, 1);
    noc_async_atomic_barrier();
#elif defined(RECEIVERS)
    const uint64_t others =
        get_noc_multicast_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(6),
                               get_arg_val<uint32_t>(7), get_arg_val<uint32_t>(3));
    noc_semaphore_inc_multicast(others, 1, RECEIVERS);
    noc_semaphore_wait_min(own, awaited);
#else
    for (uint32_t request = get_arg_val<uint32_t>(5); request != 0; --request) {
        noc_semaphore_inc(other, 1);
    }
    noc_semaphore_wait_min(own, awaited);
#endif
}

// Lets other tiles fill a circular buffer of this one: reserves a page for each, tells them that there is room, and
// pushes the pages when all of them have come.
// Compile-time arguments: 0 circular buffer.
// Runtime arguments: 0 semaphore that says "room" to the senders, 1 semaphore that counts what came, 2 rounds,
// 3 senders, then the NoC coordinates x and y of each.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    const uint32_t room = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t came = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t rounds = get_arg_val<uint32_t>(2);
    const uint32_t senders = get_arg_val<uint32_t>(3);

    for (uint32_t round = 0; round < rounds; ++round) {
        cb_reserve_back(cb, senders);
        for (uint32_t sender = 0; sender < senders; ++sender) {
            const uint32_t x = get_arg_val<uint32_t>(4 + 2 * sender);
            const uint32_t y = get_arg_val<uint32_t>(5 + 2 * sender);
            noc_semaphore_inc(get_noc_addr(x, y, room), 1);
        }
        noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(came), (round + 1) * senders);
        cb_push_back(cb, senders);
    }
    noc_async_atomic_barrier();
}

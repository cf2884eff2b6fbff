// Passes waypoints, prints, pushes numbers, and ends in one of four ways.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 the end: 0 writes a number, 1 waits for semaphore 0,
// 2 counts for ever, 3 asserts what does not hold.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/debug/assert.h"
#include "api/debug/dprint.h"
#include "api/debug/pause.h"
#include "api/debug/ring_buffer.h"
#include "api/debug/waypoint.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t end = get_arg_val<uint32_t>(2);

    WAYPOINT("GO");
    for (uint32_t number = 0; number < 40; ++number) {
        WATCHER_RING_BUFFER_PUSH(number * 0x11);
    }
    PAUSE();
    DPRINT("end {}\n", end);
    volatile tt_l1_ptr uint32_t* semaphore =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    if (end == 1) {
        WAYPOINT("NSW");
        noc_semaphore_wait(semaphore, 7);
    } else if (end == 2) {
        WAYPOINT("LOOP");
        for (uint32_t count = 0;; ++count) {
            asm volatile("" : : "r"(count));
        }
    }
    ASSERT(end != 3);
    WAYPOINT("END");

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    words[0] = 5;
    // The word must be in L1 before a request reads it.
    while (words[0] != 5) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4);
    noc_async_write_barrier();
}

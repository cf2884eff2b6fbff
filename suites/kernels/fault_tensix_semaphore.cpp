// hallmark-only: works on a semaphore of the Tensix coprocessor as its instructions would, without them.
// UNPACK writes a number to the semaphore's register some times: 0 posts, 1 gets.
// Runtime arguments: 0 semaphore, 1 number, 2 times.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    UNPACK({
        volatile uint32_t& semaphore = hallmark::register_at(0xFFE8'0020 + 4 * get_arg_val<uint32_t>(0));
        const uint32_t times = get_arg_val<uint32_t>(2);
        for (uint32_t time = 0; time < times; ++time) {
            semaphore = get_arg_val<uint32_t>(1);
        }
    })
}

// Pushes fewer pages than the consumer waits for.
// Compile-time arguments: 0 circular buffer.
// Runtime arguments: 0 pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    const uint32_t pages = get_arg_val<uint32_t>(0);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_reserve_back(cb, 1);
        cb_push_back(cb, 1);
    }
}

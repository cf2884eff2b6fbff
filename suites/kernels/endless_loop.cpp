// Counts for ever: neither done nor waiting.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    for (uint32_t count = 0;; ++count) {
        asm volatile("" : : "r"(count));
    }
}

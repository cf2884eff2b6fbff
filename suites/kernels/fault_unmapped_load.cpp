// Loads from an address where nothing is.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    uint32_t word;
    asm volatile("lw %0, 0(%1)" : "=r"(word) : "r"(0x7000'0000u));
}

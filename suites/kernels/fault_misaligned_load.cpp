// Loads a word from an address that is no multiple of 4.
// Runtime arguments: 0 L1 address, a multiple of 4.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0) + 2;
    uint32_t word;
    asm volatile("lw %0, 0(%1)" : "=r"(word) : "r"(address));
}

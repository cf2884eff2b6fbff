// Makes one access to an address.
// Runtime arguments: 0 what: loads of 0 a byte, 1 a half-word, 2 a word, stores of 3 a byte, 4 a half-word, 5 a word,
// 6 a jump, 1 address, 2 value for a store.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t what = get_arg_val<uint32_t>(0);
    const uint32_t address = get_arg_val<uint32_t>(1);
    const uint32_t value = get_arg_val<uint32_t>(2);
    uint32_t loaded = 0;
    if (what == 0) {
        asm volatile("lbu %0, 0(%1)" : "=r"(loaded) : "r"(address));
    } else if (what == 1) {
        asm volatile("lhu %0, 0(%1)" : "=r"(loaded) : "r"(address));
    } else if (what == 2) {
        asm volatile("lw %0, 0(%1)" : "=r"(loaded) : "r"(address));
    } else if (what == 3) {
        asm volatile("sb %0, 0(%1)" : : "r"(value), "r"(address) : "memory");
    } else if (what == 4) {
        asm volatile("sh %0, 0(%1)" : : "r"(value), "r"(address) : "memory");
    } else if (what == 5) {
        asm volatile("sw %0, 0(%1)" : : "r"(value), "r"(address) : "memory");
    } else {
        asm volatile("jr %0" : : "r"(address));
    }
}

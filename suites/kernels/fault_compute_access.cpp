// hallmark-only: one compute thread alone makes an access, without the Tensix coprocessor.
// Runtime arguments: 0 the thread's number, 1 what: 0 a load, 1 a store of a word, 2 address.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    if (COMPILE_FOR_TRISC == get_arg_val<uint32_t>(0)) {
        const uint32_t address = get_arg_val<uint32_t>(2);
        uint32_t word = 0;
        if (get_arg_val<uint32_t>(1) == 0) {
            asm volatile("lw %0, 0(%1)" : "=r"(word) : "r"(address));
        } else {
            asm volatile("sw %0, 0(%1)" : : "r"(word), "r"(address) : "memory");
        }
    }
}

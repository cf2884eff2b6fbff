// hallmark-only: one compute thread alone breaks a rule, without the Tensix coprocessor.
// The thread with the number THREAD loads a word from a place where nothing is.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    if (COMPILE_FOR_TRISC == THREAD) {
        uint32_t word;
        asm volatile("lw %0, 0(%1)" : "=r"(word) : "r"(0x7000'0000u));
    }
}

// A loop over 1 KiB of L1: eleven instructions a turn, of which three load and two store. Its result says how
// many ticks it took.
// Runtime arguments: 0 L1 address of the result, 1 turns, 2 L1 address of the 1 KiB.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "kernels/speed_clock.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* result = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    uint32_t turns = get_arg_val<uint32_t>(1);
    const uint32_t base = get_arg_val<uint32_t>(2);
    uint32_t offset = 0, place, a, b;
    const uint32_t start = clock_now();
    asm volatile(
        "1: add %1, %5, %0\n"
        "lw %2, 0(%1)\n"
        "lw %3, 4(%1)\n"
        "add %2, %2, %3\n"
        "sw %2, 0(%1)\n"
        "lbu %3, 1(%1)\n"
        "sb %3, 6(%1)\n"
        "addi %0, %0, 8\n"
        "andi %0, %0, 1016\n"
        "addi %4, %4, -1\n"
        "bnez %4, 1b\n"
        : "+r"(offset), "=&r"(place), "=&r"(a), "=&r"(b), "+r"(turns)
        : "r"(base)
        : "memory");
    result[0] = clock_now() - start;
    result[1] = a + b;
}

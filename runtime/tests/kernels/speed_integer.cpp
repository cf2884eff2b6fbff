// An integer loop of eight instructions a turn. Its result says how many ticks it took.
// Runtime arguments: 0 L1 address of the result, 1 turns.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "kernels/speed_clock.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* result = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    uint32_t turns = get_arg_val<uint32_t>(1);
    uint32_t a = 1, b = 3, c = 5, d = 7;
    const uint32_t start = clock_now();
    asm volatile(
        "1: add %0, %0, %1\n"
        "xor %1, %1, %0\n"
        "slli %2, %2, 1\n"
        "add %2, %2, %1\n"
        "srli %3, %0, 3\n"
        "sub %2, %2, %3\n"
        "addi %4, %4, -1\n"
        "bnez %4, 1b\n"
        : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(turns));
    result[0] = clock_now() - start;
    result[1] = a ^ b ^ c ^ d;
}

// Lets a branch depend on what one instruction makes of a word that nobody wrote.
// Runtime arguments: 0 which instruction: sra, srai, srl, sll, mulh or divu, 1 L1 address of the word, 2 a second
// operand.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

// rd, rs1 = the word, rs2 = the operand; what follows leaves the bits of the result that matter.
#define CASE(number, instruction)                                                                     \
    if (which == number) {                                                                            \
        asm volatile(instruction "\nbnez %0, 1f\n1:" : "=&r"(result) : "r"(unknown), "r"(operand));   \
    }

void kernel_main() {
    const uint32_t which = get_arg_val<uint32_t>(0);
    const uint32_t operand = get_arg_val<uint32_t>(2);
    const uint32_t unknown = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(1));
    uint32_t result = 0;
    // Of the sign's copies, those that no logical shift makes.
    CASE(0, "sra %0, %1, %2\nsrli %0, %0, 8")
    CASE(1, "srai %0, %1, 31\nsrli %0, %0, 8")
    CASE(2, "srl %0, %1, %2")
    CASE(3, "sll %0, %1, %2")
    CASE(4, "mulh %0, %1, %2")
    CASE(5, "divu %0, %1, %2")
}

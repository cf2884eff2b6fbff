// What integer instructions make of operands that no compiler knows: one row of words for each instruction, one word
// for each operand. Every instruction stands there as itself, so that no compiler chooses another.
#pragma once

#include <cstdint>

// rd, rs1 = a, rs2 = b
#define INTEGER_ROW(instruction)                                                                      \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        uint32_t result;                                                                              \
        asm volatile(instruction " %0, %1, %2" : "=r"(result) : "r"(a), "r"(b[index]));               \
        *out++ = result;                                                                              \
    }
// rd, rs1 = b, an immediate
#define IMMEDIATE_ROW(instruction, immediate)                                                         \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        uint32_t result;                                                                              \
        asm volatile(instruction " %0, %1, " #immediate : "=r"(result) : "r"(b[index]));              \
        *out++ = result;                                                                              \
    }
// Whether a branch on a and b is taken.
#define BRANCH_ROW(instruction)                                                                       \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        uint32_t result;                                                                              \
        asm volatile("li %0, 1\n" instruction " %1, %2, 1f\nli %0, 0\n1:"                             \
                     : "=&r"(result)                                                                  \
                     : "r"(a), "r"(b[index]));                                                        \
        *out++ = result;                                                                              \
    }

inline constexpr uint32_t kIntegerRows = 40;

// Writes the rows and returns the address after the last word.
inline volatile uint32_t* write_integer_rows(volatile uint32_t* out, const volatile uint32_t* b, uint32_t count,
                                             uint32_t a) {
    INTEGER_ROW("mul")
    INTEGER_ROW("mulh")
    INTEGER_ROW("mulhsu")
    INTEGER_ROW("mulhu")
    INTEGER_ROW("div")
    INTEGER_ROW("divu")
    INTEGER_ROW("rem")
    INTEGER_ROW("remu")
    INTEGER_ROW("add")
    INTEGER_ROW("sub")
    INTEGER_ROW("and")
    INTEGER_ROW("or")
    INTEGER_ROW("xor")
    INTEGER_ROW("slt")
    INTEGER_ROW("sltu")
    INTEGER_ROW("sll")
    INTEGER_ROW("srl")
    INTEGER_ROW("sra")
    IMMEDIATE_ROW("slli", 0)
    IMMEDIATE_ROW("slli", 1)
    IMMEDIATE_ROW("slli", 31)
    IMMEDIATE_ROW("srli", 0)
    IMMEDIATE_ROW("srli", 1)
    IMMEDIATE_ROW("srli", 31)
    IMMEDIATE_ROW("srai", 0)
    IMMEDIATE_ROW("srai", 1)
    IMMEDIATE_ROW("srai", 31)
    IMMEDIATE_ROW("addi", -2048)
    IMMEDIATE_ROW("addi", 2047)
    IMMEDIATE_ROW("andi", -256)
    IMMEDIATE_ROW("ori", -256)
    IMMEDIATE_ROW("xori", -1)
    IMMEDIATE_ROW("slti", -1)
    IMMEDIATE_ROW("sltiu", -1)
    BRANCH_ROW("beq")
    BRANCH_ROW("bne")
    BRANCH_ROW("blt")
    BRANCH_ROW("bge")
    BRANCH_ROW("bltu")
    BRANCH_ROW("bgeu")
    return out;
}

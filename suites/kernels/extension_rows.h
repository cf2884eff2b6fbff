// What Blackhole's instructions beyond RV32IM make of operands that no compiler knows: one row of words for each
// instruction, one word for each operand. Kernels are built for RV32IM, so each instruction stands there as its encoding.
#pragma once

#include <cstdint>

// rd, rs1 = a, rs2 = b, of Zba, Zbb and Zbkb.
#define PAIR_ROW(function_3, function_7)                                                              \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        uint32_t result;                                                                              \
        asm volatile(".insn r 0x33, " #function_3 ", " #function_7 ", %0, %1, %2"                     \
                     : "=r"(result)                                                                   \
                     : "r"(a), "r"(b[index]));                                                        \
        *out++ = result;                                                                              \
    }
// rd, rs1 = b, and an immediate that tells the instruction or how far it shifts.
#define SINGLE_ROW(function_3, immediate)                                                             \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        uint32_t result;                                                                              \
        asm volatile(".insn i 0x13, " #function_3 ", %0, %1, " #immediate                             \
                     : "=r"(result)                                                                   \
                     : "r"(b[index]));                                                                \
        *out++ = result;                                                                              \
    }
// Two rows of Zaamo: what is left of a in memory, and what is returned.
#define ATOMIC_ROWS(function_7)                                                                       \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        *out = a;                                                                                     \
        asm volatile(".insn r 0x2F, 2, " #function_7 ", x0, %0, %1"                                   \
                     :                                                                                \
                     : "r"(out), "r"(b[index])                                                        \
                     : "memory");                                                                     \
        ++out;                                                                                        \
    }                                                                                                 \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        uint32_t result;                                                                              \
        *out = a;                                                                                     \
        asm volatile(".insn r 0x2F, 2, " #function_7 ", %0, %1, %2"                                   \
                     : "=&r"(result)                                                                  \
                     : "r"(out), "r"(b[index])                                                        \
                     : "memory");                                                                     \
        *out++ = result;                                                                              \
    }
// Two rows of Zicsr, on a register that means nothing to the hardware (`cfg1`): what is left of a, and what is returned.
#define CONTROL_ROWS(function_3, source, operand)                                                     \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        uint32_t result;                                                                              \
        asm volatile(".insn i 0x73, 1, x0, %1, 0x7C3\n.insn i 0x73, " #function_3 ", x0, " source     \
                     ", 0x7C3\n.insn i 0x73, 2, %0, x0, 0x7C3"                                        \
                     : "=&r"(result)                                                                  \
                     : "r"(a), operand);                                                              \
        *out++ = result;                                                                              \
    }                                                                                                 \
    for (uint32_t index = 0; index < count; ++index) {                                                \
        uint32_t result;                                                                              \
        asm volatile(".insn i 0x73, 1, x0, %1, 0x7C3\n.insn i 0x73, " #function_3 ", %0, " source     \
                     ", 0x7C3"                                                                        \
                     : "=&r"(result)                                                                  \
                     : "r"(a), operand);                                                              \
        *out++ = result;                                                                              \
    }

inline constexpr uint32_t kExtensionRows = 56;

// Writes the rows and returns the address after the last word.
inline volatile uint32_t* write_extension_rows(volatile uint32_t* out, const volatile uint32_t* b, uint32_t count,
                                                 uint32_t a) {
    PAIR_ROW(2, 0x10)  // sh1add
    PAIR_ROW(4, 0x10)  // sh2add
    PAIR_ROW(6, 0x10)  // sh3add
    PAIR_ROW(7, 0x20)  // andn
    PAIR_ROW(6, 0x20)  // orn
    PAIR_ROW(4, 0x20)  // xnor
    PAIR_ROW(4, 0x05)  // min
    PAIR_ROW(5, 0x05)  // minu
    PAIR_ROW(6, 0x05)  // max
    PAIR_ROW(7, 0x05)  // maxu
    PAIR_ROW(1, 0x30)  // rol
    PAIR_ROW(5, 0x30)  // ror
    PAIR_ROW(4, 0x04)  // pack
    for (uint32_t index = 0; index < count; ++index) {  // zext.h
        uint32_t result;
        asm volatile(".insn r 0x33, 4, 0x04, %0, %1, x0" : "=r"(result) : "r"(b[index]));
        *out++ = result;
    }
    SINGLE_ROW(5, 0x600)  // rori 0
    SINGLE_ROW(5, 0x601)  // rori 1
    SINGLE_ROW(5, 0x61F)  // rori 31
    SINGLE_ROW(1, 0x600)  // clz
    SINGLE_ROW(1, 0x601)  // ctz
    SINGLE_ROW(1, 0x602)  // cpop
    SINGLE_ROW(1, 0x604)  // sext.b
    SINGLE_ROW(1, 0x605)  // sext.h
    SINGLE_ROW(5, 0x287)  // orc.b
    SINGLE_ROW(5, 0x698)  // rev8
    SINGLE_ROW(5, 0x687)  // brev8
    ATOMIC_ROWS(0x04)     // amoswap.w
    ATOMIC_ROWS(0x00)     // amoadd.w
    ATOMIC_ROWS(0x10)     // amoxor.w
    ATOMIC_ROWS(0x30)     // amoand.w
    ATOMIC_ROWS(0x20)     // amoor.w
    ATOMIC_ROWS(0x40)     // amomin.w
    ATOMIC_ROWS(0x50)     // amomax.w
    ATOMIC_ROWS(0x60)     // amominu.w
    ATOMIC_ROWS(0x70)     // amomaxu.w
    CONTROL_ROWS(1, "%2", "r"(b[index]))  // csrrw
    CONTROL_ROWS(2, "%2", "r"(b[index]))  // csrrs
    CONTROL_ROWS(3, "%2", "r"(b[index]))  // csrrc
    // The number of the source register is the operand of these: 21.
    CONTROL_ROWS(5, "x21", "r"(0))  // csrrwi
    CONTROL_ROWS(6, "x21", "r"(0))  // csrrsi
    CONTROL_ROWS(7, "x21", "r"(0))  // csrrci
    // `instret` (0xC02), twice, with four instructions between.
    for (uint32_t index = 0; index < count; ++index) {
        uint32_t first;
        uint32_t second;
        asm volatile(
            ".insn i 0x73, 2, %0, x0, -1022\nnop\nnop\nnop\nnop\n.insn i 0x73, 2, %1, x0, -1022"
            : "=&r"(first), "=&r"(second));
        *out++ = second - first;
    }
    return out;
}

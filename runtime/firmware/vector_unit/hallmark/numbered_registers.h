// MATH: instructions on vector registers by their numbers, for code whose registers keep what they hold from call to call, or
// belong together by their numbers.
#pragma once

#include <type_traits>

#include "hallmark/vector_thread.h"

namespace hallmark {

inline constexpr uint32_t kZero = sfpi::CREG_IDX_0, kOne = sfpi::CREG_IDX_1, kMinusOne = sfpi::CREG_IDX_NEG_1;

// Registers are named, and the compiler has none of its own in them meanwhile.
FORCE_INLINE void take_registers() {
#ifdef HALLMARK_FOLLOWED_CONDITIONS
    using sfpi::impl_::in_condition;
#endif
#ifdef __riscv_flen
    HALLMARK_CHANGE_OF_FLAGS("" : : : "memory", "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7");
#endif
}

FORCE_INLINE void begin_numbered(uint32_t index) {
    take_registers();
    begin_vectors(index);
}

FORCE_INLINE void end_numbered() {
    end_vectors();
    take_registers();
}

// Wormhole does not wait for a product or a sum (SFPMAD.md, "Instruction scheduling").
template <uint32_t kWord>
FORCE_INLINE void push_arithmetic() {
    push_now<kWord>();
#if !defined(ARCH_BLACKHOLE)
    push_now<0x8Fu << 24>();
#endif
}

// SFPMAD, SFPADD, SFPMUL and SFPMOV.
template <uint32_t kA, uint32_t kB, uint32_t kC, uint32_t kResult>
FORCE_INLINE void multiply_add() {
    push_arithmetic<0x84u << 24 | kA << 16 | kB << 12 | kC << 8 | kResult << 4>();
}
template <uint32_t kA, uint32_t kB>
FORCE_INLINE void add_to() {
    push_arithmetic<0x85u << 24 | kOne << 16 | kA << 12 | kB << 8 | kB << 4>();
}
template <uint32_t kA, uint32_t kB, uint32_t kResult>
FORCE_INLINE void multiply() {
    push_arithmetic<0x86u << 24 | kA << 16 | kB << 12 | kZero << 8 | kResult << 4>();
}
// C less A.
template <uint32_t kA, uint32_t kC, uint32_t kResult>
FORCE_INLINE void subtract() {
    multiply_add<kMinusOne, kA, kC, kResult>();
}
template <uint32_t kFrom, uint32_t kTo>
FORCE_INLINE void move() {
    push_now<0x7Cu << 24 | kFrom << 8 | kTo << 4>();
}

// SFPLOADI: the upper and the lower half.
template <uint32_t kRegister>
FORCE_INLINE void load_scalar(uint32_t bits) {
    push(0x71u << 24 | kRegister << 20 | sfpi::SFPLOADI_MOD0_FLOATB << 16 | bits >> 16);
    push(0x71u << 24 | kRegister << 20 | sfpi::SFPLOADI_MOD0_LOWER << 16 | (bits & 0xFFFF));
}
template <uint32_t... kRegisters>
FORCE_INLINE void clear() {
    (push_now<0x71u << 24 | kRegisters << 20 | sfpi::SFPLOADI_MOD0_FLOATB << 16>(), ...);
}

// SFPLOAD and SFPSTORE. The rows are those of a vector: the even columns of four rows of a face.
template <uint32_t kRegister, uint32_t kFormat = sfpi::SFPLOAD_MOD0_FMT_SRCB>
FORCE_INLINE void load_rows(uint32_t row) {
    push(0x70u << 24 | kRegister << 20 | kFormat << 16 |
         uint32_t{sfpi::SFPLOAD_ADDR_MODE_NOINC} << sfpi::impl_::ADDRESS_MODE_SHIFT | row);
}
template <uint32_t kRegister, uint32_t kFormat = sfpi::SFPSTORE_MOD0_FMT_SRCB>
FORCE_INLINE void store_rows(uint32_t row) {
    push(0x72u << 24 | kRegister << 20 | kFormat << 16 |
         uint32_t{sfpi::SFPSTORE_ADDR_MODE_NOINC} << sfpi::impl_::ADDRESS_MODE_SHIFT | row);
}

// SFPTRANSP: the rows of the registers 0 to 3 change places, and so do those of 4 to 7.
FORCE_INLINE void transpose_registers() { push_now<0x8Cu << 24>(); }

}  // namespace hallmark

// Instructions of the vector unit in a stock compiler's eyes.
//
// A vector is a `double` in ft0–ft7, and ft0–ft7 are LReg0–LReg7: the compiler, to which all other float registers are
// closed, distributes the vector registers as it would float registers. An instruction is a word whose register fields
// the assembler fills in, by symbols named after the float registers. A copy of a register, `fmv.d`, is an SFPMOV of all
// lanes. Vectors cannot lie in memory, so that a spill ends the build by name.
//
// All instructions are `volatile`: they keep their order among themselves and among the instructions of others.
#pragma once

#include <cstdint>

#include "vector/constants.h"
#include "vector/tensix_word.h"

#define sfpi_inline __attribute__((always_inline)) inline

#ifdef __riscv_flen
__asm__(
    ".irp number,0,1,2,3,4,5,6,7\n.set .Lft\\number,\\number\n.endr\n"
    ".macro fmv.d to, from\n.ttinsn 0x7c000002|(.L\\from<<8)|(.L\\to<<4)\n.endm\n"
    // A variable without a first value: the compiler sets the register to zero, of which nobody reads anything.
    ".macro fcvt.d.w to, from\n.endm\n"
    ".macro fld to, from\n.error \"vector code has more vectors than the 8 registers of the vector unit\"\n.endm\n"
    ".macro fsd from, to\n.error \"vector code has more vectors than the 8 registers of the vector unit\"\n.endm\n"
    // A scalar float in ft0 to ft3, as the compiler sees it, lies in t3 to t6, which are closed to the compiler.
    ".irp number,0,1,2,3,4,5,6,7\n.set .Lscalar_ft\\number,\\number\n.endr\n"
    ".macro scalar_register operation, register, others:vararg\n"
    ".if .Lscalar_\\register==0\n\\operation t3,\\others\n.endif\n"
    ".if .Lscalar_\\register==1\n\\operation t4,\\others\n.endif\n"
    ".if .Lscalar_\\register==2\n\\operation t5,\\others\n.endif\n"
    ".if .Lscalar_\\register==3\n\\operation t6,\\others\n.endif\n"
    ".if .Lscalar_\\register>3\n.error \"code computes with more scalar floats and vectors than there are registers\"\n.endif\n"
    ".endm\n"
    ".macro fmv.w.x to, from\nscalar_register mv, \\to, \\from\n.endm\n"
    ".macro flw to, from:vararg\nscalar_register lw, \\to, \\from\n.endm\n"
    ".macro fsw from, to:vararg\nscalar_register sw, \\from, \\to\n.endm\n"
    ".macro scalar_moved_to to, from\nmv \\from,\\to\n.endm\n"
    ".macro fmv.x.w to, from\nscalar_register scalar_moved_to, \\from, \\to\n.endm\n"
    // A function of the compiler's support library, which keeps no registers of the caller's; the stack has a word for
    // each that the caller may use, and for the result of a comparison.
    ".macro scalar_begin\naddi sp,sp,-80\nsw ra,0(sp)\nsw t0,4(sp)\nsw t1,8(sp)\nsw t2,12(sp)\nsw t3,16(sp)\n"
    "sw t4,20(sp)\nsw t5,24(sp)\nsw t6,28(sp)\nsw a0,32(sp)\nsw a1,36(sp)\nsw a2,40(sp)\nsw a3,44(sp)\nsw a4,48(sp)\n"
    "sw a5,52(sp)\nsw a6,56(sp)\nsw a7,60(sp)\n.endm\n"
    ".macro scalar_end\nlw ra,0(sp)\nlw t0,4(sp)\nlw t1,8(sp)\nlw t2,12(sp)\nlw t3,16(sp)\nlw t4,20(sp)\nlw t5,24(sp)\n"
    "lw t6,28(sp)\nlw a0,32(sp)\nlw a1,36(sp)\nlw a2,40(sp)\nlw a3,44(sp)\nlw a4,48(sp)\nlw a5,52(sp)\nlw a6,56(sp)\n"
    "lw a7,60(sp)\n.endm\n"
    ".macro scalar_binary function, to, a, b\nscalar_begin\nlw a0,16+4*.Lscalar_\\a(sp)\nlw a1,16+4*.Lscalar_\\b(sp)\n"
    "call \\function\nsw a0,16+4*.Lscalar_\\to(sp)\nscalar_end\naddi sp,sp,80\n.endm\n"
    ".macro fadd.s to, a, b\nscalar_binary __addsf3, \\to, \\a, \\b\n.endm\n"
    ".macro fsub.s to, a, b\nscalar_binary __subsf3, \\to, \\a, \\b\n.endm\n"
    ".macro fmul.s to, a, b\nscalar_binary __mulsf3, \\to, \\a, \\b\n.endm\n"
    ".macro fdiv.s to, a, b\nscalar_binary __divsf3, \\to, \\a, \\b\n.endm\n"
    ".macro scalar_compared function, operation, last, to, a, b\nscalar_begin\nlw a0,16+4*.Lscalar_\\a(sp)\n"
    "lw a1,16+4*.Lscalar_\\b(sp)\ncall \\function\n\\operation a0,a0,\\last\nsw a0,64(sp)\nscalar_end\nlw \\to,64(sp)\n"
    "addi sp,sp,80\n.endm\n"
    ".macro flt.s to, a, b\nscalar_compared __ltsf2, slti, 0, \\to, \\a, \\b\n.endm\n"
    ".macro fgt.s to, a, b\nflt.s \\to, \\b, \\a\n.endm\n"
    ".macro fge.s to, a, b\nfle.s \\to, \\b, \\a\n.endm\n"
    ".macro fle.s to, a, b\nscalar_compared __lesf2, slti, 1, \\to, \\a, \\b\n.endm\n"
    ".macro feq.s to, a, b\nscalar_compared __eqsf2, sltiu, 1, \\to, \\a, \\b\n.endm\n"
    ".macro scalar_of_whole function, to, from\nscalar_begin\nmv a0,\\from\ncall \\function\nsw a0,16+4*.Lscalar_\\to(sp)\n"
    "scalar_end\naddi sp,sp,80\n.endm\n"
    ".macro fcvt.s.w to, from\nscalar_of_whole __floatsisf, \\to, \\from\n.endm\n"
    ".macro fcvt.s.wu to, from\nscalar_of_whole __floatunsisf, \\to, \\from\n.endm\n"
    ".macro whole_of_scalar function, to, from\nscalar_begin\nlw a0,16+4*.Lscalar_\\from(sp)\ncall \\function\n"
    "sw a0,64(sp)\nscalar_end\nlw \\to,64(sp)\naddi sp,sp,80\n.endm\n"
    ".macro fcvt.w.s to, from, rounding\nwhole_of_scalar __fixsfsi, \\to, \\from\n.endm\n"
    ".macro fcvt.wu.s to, from, rounding\nwhole_of_scalar __fixunssfsi, \\to, \\from\n.endm\n"
    ".irp operation,fmv.s,fmadd.s,fmsub.s,fnmadd.s,fnmsub.s,fneg.s,fabs.s,fsqrt.s,fmin.s,fmax.s,fsgnj.s,fcvt.d.s,fcvt.s.d,"
    "fcvt.w.d,fadd.d,fsub.d,fmul.d,fdiv.d,feq.d,flt.d,fle.d\n"
    ".macro \\operation arguments:vararg\n"
    ".error \"code computes with a scalar float that is not known when the kernel is built\"\n.endm\n.endr\n");
#endif

// The vendor's name of a vector's type: a register's lanes, or a constant that is loaded where it is used. A constant
// object of members that are not mutable would lie in memory: the compiler does not take it apart.
struct __xtt_vector {
    mutable double lanes;
    mutable unsigned form;
    // The pattern of the constant, or the number of the register that holds it.
    mutable std::uint32_t bits;
};

namespace sfpi::impl_ {

using sfpu_t = ::__xtt_vector;

// A variable without a value has none to keep in lanes that are not enabled: it becomes its first value as it is.
constexpr unsigned LANES = 0, CONSTANT = 1, CONSTANT_REGISTER = 2, WITHOUT_VALUE = 3;

#ifndef __riscv_flen
// A call of it is a use of vectors where the compiler knows no registers for them. The stand-in compiler looks for the
// message.
[[gnu::error("vector code needs float registers")]] void needs_float_registers();
#endif

sfpi_inline void check_registers() {
#ifndef __riscv_flen
    needs_float_registers();
#endif
}

// Stands for the lane flags: an instruction that may move (a constant's load) does not move past a change of them. GCC takes
// the number for an address with no object behind it, and would warn thousands of times in a kernel that calls many functions.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#define HALLMARK_LANE_FLAGS (*reinterpret_cast<unsigned*>(16))

// Wormhole does not wait for a result that comes after two cycles (SFPMAD.md and others, "Instruction scheduling").
#define HALLMARK_NOP "\n.ttinsn 0x8f000000"
#ifdef __riscv_xtttensixbh
#define HALLMARK_SECOND_CYCLE ""
#else
#define HALLMARK_SECOND_CYCLE HALLMARK_NOP
#endif

#ifdef __riscv_flen
#define HALLMARK_VECTOR_REGISTER "f"
#define HALLMARK_PINNED(number) __asm__("ft" #number)
#else
#define HALLMARK_VECTOR_REGISTER "X"
#define HALLMARK_PINNED(number)
#endif
#define HALLMARK_IN(lanes) HALLMARK_VECTOR_REGISTER(lanes)
#define HALLMARK_OUT(lanes) "=" HALLMARK_VECTOR_REGISTER(lanes)
#define HALLMARK_IN_OUT(lanes) "+" HALLMARK_VECTOR_REGISTER(lanes)

// --- Instructions that are not known before the kernel runs: the word is pushed by a store -------------------------------

constexpr std::uintptr_t INSTRUCTION_BUFFER = 0xffe40000;

sfpi_inline double pushed_to_new(std::uint32_t word) {
    double result;
    unsigned scratch;
    __asm__ volatile("li %1,.L%0<<20\n\tor %1,%1,%2\n\tsw %1,0(%3)"
                     : HALLMARK_OUT(result), "=&r"(scratch)
                     : "r"(word), "r"(INSTRUCTION_BUFFER));
    return result;
}
sfpi_inline void pushed_to(double& changed, std::uint32_t word) {
    unsigned scratch;
    __asm__ volatile("li %1,.L%0<<20\n\tor %1,%1,%2\n\tsw %1,0(%3)"
                     : HALLMARK_IN_OUT(changed), "=&r"(scratch)
                     : "r"(word), "r"(INSTRUCTION_BUFFER));
}
sfpi_inline void pushed_from(double value, std::uint32_t word) {
    unsigned scratch;
    __asm__ volatile("li %0,.L%1<<20\n\tor %0,%0,%2\n\tsw %0,0(%3)"
                     : "=&r"(scratch)
                     : HALLMARK_IN(value), "r"(word), "r"(INSTRUCTION_BUFFER));
}

// --- Constants -----------------------------------------------------------------------------------------------------------

constexpr std::uint32_t SFPLOADI = 0x71000000;

// How one instruction loads a pattern, without the register; or 0.
sfpi_inline constexpr std::uint32_t short_load(std::uint32_t bits) {
    if ((bits & 0xffff) == 0) return SFPLOADI | SFPLOADI_MOD0_FLOATB << 16 | bits >> 16;
    if (bits < 0x10000) return SFPLOADI | SFPLOADI_MOD0_USHORT << 16 | bits;
    if (bits >= 0xffff8000) return SFPLOADI | SFPLOADI_MOD0_SHORT << 16 | (bits & 0xffff);
    return 0;
}
constexpr std::uint32_t upper_load(std::uint32_t bits) { return SFPLOADI | SFPLOADI_MOD0_FLOATB << 16 | bits >> 16; }
constexpr std::uint32_t lower_load(std::uint32_t bits) {
    return SFPLOADI | SFPLOADI_MOD0_LOWER << 16 | (bits & 0xffff);
}

sfpi_inline double load_constant(std::uint32_t bits) {
    double result;
    if (short_load(bits) != 0) {
        __asm__ volatile(".ttinsn %1|(.L%0<<20)" : HALLMARK_OUT(result) : "i"(short_load(bits)));
    } else {
        __asm__ volatile(".ttinsn %1|(.L%0<<20)\n.ttinsn %2|(.L%0<<20)"
                         : HALLMARK_OUT(result)
                         : "i"(upper_load(bits)), "i"(lower_load(bits)));
    }
    return result;
}
// The same where the compiler may leave it out.
sfpi_inline double constant_if_needed(std::uint32_t bits) {
    double result;
    if (short_load(bits) != 0) {
        __asm__(".ttinsn %1|(.L%0<<20)" : HALLMARK_OUT(result) : "i"(short_load(bits)), "m"(HALLMARK_LANE_FLAGS));
    } else {
        __asm__(".ttinsn %1|(.L%0<<20)\n.ttinsn %2|(.L%0<<20)"
                : HALLMARK_OUT(result)
                : "i"(upper_load(bits)), "i"(lower_load(bits)), "m"(HALLMARK_LANE_FLAGS));
    }
    return result;
}
sfpi_inline void load_constant_into(double& changed, std::uint32_t bits) {
    if (short_load(bits) != 0) {
        __asm__ volatile(".ttinsn %1|(.L%0<<20)" : HALLMARK_IN_OUT(changed) : "i"(short_load(bits)));
    } else {
        __asm__ volatile(".ttinsn %1|(.L%0<<20)\n.ttinsn %2|(.L%0<<20)"
                         : HALLMARK_IN_OUT(changed)
                         : "i"(upper_load(bits)), "i"(lower_load(bits)));
    }
}

sfpi_inline sfpu_t constant(std::uint32_t bits) {
    check_registers();
    sfpu_t result;
    if (__builtin_constant_p(bits)) {
        result.form = CONSTANT;
        result.bits = bits;
        result.lanes = constant_if_needed(bits);
    } else {
        double lanes = pushed_to_new(SFPLOADI | SFPLOADI_MOD0_FLOATB << 16 | bits >> 16);
        pushed_to(lanes, SFPLOADI | SFPLOADI_MOD0_LOWER << 16 | (bits & 0xffff));
        result.form = LANES;
        result.lanes = lanes;
    }
    return result;
}
sfpi_inline sfpu_t constant_register(unsigned number) {
    check_registers();
    // An output in an object is never left out.
    double lanes;
    __asm__(".ttinsn 0x7c000000|(%1<<8)|(.L%0<<4)" : HALLMARK_OUT(lanes) : "i"(number), "m"(HALLMARK_LANE_FLAGS));
    sfpu_t result;
    result.form = CONSTANT_REGISTER;
    result.bits = number;
    result.lanes = lanes;
    return result;
}

sfpi_inline sfpu_t of_lanes(double lanes) {
    sfpu_t result;
    result.lanes = lanes;
    result.form = LANES;
    return result;
}

// Whether a vector is a constant that needs no register before its use.
sfpi_inline bool is_constant(const sfpu_t& value) {
    return __builtin_constant_p(value.form) && value.form == CONSTANT && __builtin_constant_p(value.bits);
}
sfpi_inline bool is_constant_register(const sfpu_t& value) {
    return __builtin_constant_p(value.form) && value.form == CONSTANT_REGISTER && __builtin_constant_p(value.bits);
}

// A register with the vector's lanes.
sfpi_inline double lanes(const sfpu_t& value) {
    check_registers();
    if (is_constant(value)) return load_constant(value.bits);
    if (is_constant_register(value)) {
        double result;
        __asm__ volatile(".ttinsn 0x7c000000|(%1<<8)|(.L%0<<4)" : HALLMARK_OUT(result) : "i"(value.bits));
        return result;
    }
    return value.lanes;
}

// The register that holds a constant in all chips of this architecture, or 0.
sfpi_inline unsigned fixed_register(const sfpu_t& value) {
    if (is_constant_register(value)) return value.bits;
    if (is_constant(value)) {
        if (value.bits == 0) return CREG_IDX_0;
        if (value.bits == 0x3f800000) return CREG_IDX_1;
        if (value.bits == 0xbf800000) return CREG_IDX_NEG_1;
    }
    return 0;
}

// Whether some lanes alone may be enabled. The compiler follows whether code stands in a condition
// (HALLMARK_FOLLOWED_CONDITIONS): outside of one, all lanes that a variable has values in are enabled, so that it becomes
// another value as it is. The old value needs no register any more, and the code has as many instructions as the vendor's
// compiler makes of it, which upstream's headers count where they record code for REPLAY. Where the compiler loses sight
// of a condition, the build is repeated without.
#ifdef HALLMARK_FOLLOWED_CONDITIONS
[[maybe_unused]] static short in_condition;
sfpi_inline bool changes_some_lanes() { return __builtin_constant_p(in_condition) && in_condition != 0; }
[[gnu::error("vector code has a condition whose end the compiler loses sight of")]]
void needs_sight_of_conditions();
// An instruction that changes the lane flags is one of unknown effect in the compiler's eyes.
#define HALLMARK_CHANGE_OF_FLAGS(...)         \
    do {                                      \
        const short followed = in_condition;  \
        __asm__ volatile(__VA_ARGS__);        \
        in_condition = followed;              \
    } while (false)
#else
sfpi_inline bool changes_some_lanes() { return true; }
#define HALLMARK_CHANGE_OF_FLAGS(...) __asm__ volatile(__VA_ARGS__)
#endif

// A register for a variable's lanes of which an instruction changes some. A constant is loaded into all of them just then,
// enabled or not, and needs no register before.
sfpi_inline double kept_lanes(const sfpu_t& variable) {
    if (!changes_some_lanes()) return lanes(variable);
    const unsigned number = fixed_register(variable);
    double result;
    if (number != 0) {
        __asm__ volatile(".ttinsn 0x7c000002|(%1<<8)|(.L%0<<4)" : HALLMARK_OUT(result) : "i"(number));
        return result;
    }
    if (is_constant(variable)) {
        // SFPPUSHC; SFPENCC of all lanes; loads; SFPPOPC.
        if (short_load(variable.bits) != 0) {
            __asm__ volatile(".ttinsn 0x87000000\n.ttinsn 0x8a00300a\n.ttinsn %1|(.L%0<<20)\n.ttinsn 0x88000000"
                             : HALLMARK_OUT(result)
                             : "i"(short_load(variable.bits)));
        } else {
            __asm__ volatile(".ttinsn 0x87000000\n.ttinsn 0x8a00300a\n.ttinsn %1|(.L%0<<20)\n.ttinsn %2|(.L%0<<20)\n"
                             ".ttinsn 0x88000000"
                             : HALLMARK_OUT(result)
                             : "i"(upper_load(variable.bits)), "i"(lower_load(variable.bits)));
        }
        return result;
    }
    return variable.lanes;
}

// What the compiler knows where a condition begins, for its end.
class Followed {
#ifdef HALLMARK_FOLLOWED_CONDITIONS
    short outer;

public:
    sfpi_inline Followed() : outer(in_condition) {}
    sfpi_inline void begin() { in_condition = 1; }
    sfpi_inline void check() {
        if (!__builtin_constant_p(in_condition)) needs_sight_of_conditions();
    }
    sfpi_inline void end() { in_condition = outer; }
#else
public:
    sfpi_inline void begin() {}
    sfpi_inline void check() {}
    sfpi_inline void end() {}
#endif
};

sfpi_inline bool is_without_value(const sfpu_t& variable) {
    return __builtin_constant_p(variable.form) && variable.form == WITHOUT_VALUE;
}

// Enabled lanes of a variable become those of a value.
sfpi_inline void assign(sfpu_t& variable, const sfpu_t& value) {
    check_registers();
    if (is_without_value(variable) || !changes_some_lanes()) {
        variable = value;
        return;
    }
    double changed = kept_lanes(variable);
    if (is_constant(value)) {
        load_constant_into(changed, value.bits);
    } else if (is_constant_register(value)) {
        __asm__ volatile(".ttinsn 0x7c000000|(%1<<8)|(.L%0<<4)" : HALLMARK_IN_OUT(changed) : "i"(value.bits));
    } else {
        __asm__ volatile(".ttinsn 0x7c000000|(.L%1<<8)|(.L%0<<4)" : HALLMARK_IN_OUT(changed) : HALLMARK_IN(value.lanes));
    }
    variable.lanes = changed;
    variable.form = LANES;
}

// --- Instructions with one source and a new result -----------------------------------------------------------------------

// SFPABS, SFPEXEXP, SFPEXMAN, SFPLZ, SFPMOV, SFPNOT, SFPCAST, SFPDIVP2, SFPSTOCHRND, and others with an immediate.
template <std::uint32_t kOpcode>
sfpi_inline sfpu_t unary(const sfpu_t& source, unsigned mode, unsigned immediate = 0) {
    double result;
    __asm__ volatile(".ttinsn %2|((%3&0xfff)<<12)|(.L%1<<8)|(.L%0<<4)|%4"
                     : HALLMARK_OUT(result)
                     : HALLMARK_IN(lanes(source)), "i"(kOpcode << 24), "i"(immediate), "i"(mode));
    return of_lanes(result);
}

// --- Instructions whose destination is a source, too ---------------------------------------------------------------------

template <std::uint32_t kOpcode>
sfpi_inline void binary_into(double& changed, double source, unsigned mode) {
    __asm__ volatile(".ttinsn %2|(.L%1<<8)|(.L%0<<4)|%3"
                     : HALLMARK_IN_OUT(changed)
                     : HALLMARK_IN(source), "i"(kOpcode << 24), "i"(mode));
}
template <std::uint32_t kOpcode>
sfpi_inline sfpu_t binary(const sfpu_t& destination, const sfpu_t& source, unsigned mode) {
    double changed = lanes(destination);
    binary_into<kOpcode>(changed, lanes(source), mode);
    return of_lanes(changed);
}
// The same of sources in any order: a constant is the destination, which needs no copy.
template <std::uint32_t kOpcode>
sfpi_inline sfpu_t commutative(const sfpu_t& one, const sfpu_t& other, unsigned mode) {
    if (is_constant(other)) return binary<kOpcode>(other, one, mode);
    return binary<kOpcode>(one, other, mode);
}
// With an immediate in place of the second source.
template <std::uint32_t kOpcode>
sfpi_inline void immediate_into(double& changed, int immediate, unsigned mode) {
    __asm__ volatile(".ttinsn %1|((%2&0xfff)<<12)|(.L%0<<8)|(.L%0<<4)|%3"
                     : HALLMARK_IN_OUT(changed)
                     : "i"(kOpcode << 24), "i"(immediate), "i"(mode));
}

// --- Multiply and add ----------------------------------------------------------------------------------------------------

constexpr unsigned MAD = 0x84, ADD = 0x85, MUL = 0x86, MUL24 = 0x98;
// Signs that Blackhole's instructions change.
constexpr unsigned NEGATE_PRODUCT = 1, NEGATE_SUMMAND = 2;

// A source of an instruction with three: a register that the compiler chooses, or one that holds a constant.
struct Source {
    double lanes;
    unsigned mask;
    unsigned number;
};
sfpi_inline Source source_of(const sfpu_t& value) {
    Source source;
    source.number = fixed_register(value);
    if (source.number != 0) {
        source.mask = 0;
    } else {
        source.mask = 15;
        source.lanes = lanes(value);
    }
    return source;
}
// A register that is not read is one that is read by another operand.
sfpi_inline double named(const Source& source, const Source& other, const Source& third) {
    if (source.mask != 0) return source.lanes;
    if (other.mask != 0) return other.lanes;
    return third.lanes;
}

#define HALLMARK_THREE_SOURCES                                                                       \
    ".ttinsn %4|%5|(((.L%1&%6)|%7)<<16)|(((.L%2&%8)|%9)<<12)|(((.L%3&%10)|%11)<<8)|(.L%0<<4)" \
    HALLMARK_SECOND_CYCLE
#define HALLMARK_THREE_OPERANDS(opcode, mode, a, b, c)                                                            \
    HALLMARK_IN(named(a, b, c)), HALLMARK_IN(named(b, a, c)), HALLMARK_IN(named(c, a, b)), "i"((opcode) << 24), "i"(mode), \
        "i"((a).mask), "i"((a).number), "i"((b).mask), "i"((b).number), "i"((c).mask), "i"((c).number)

// SFPMULI and SFPADDI, with the upper half of a number that has no lower one.
constexpr unsigned MULI = 0x74, ADDI = 0x75;
sfpi_inline bool is_upper_half(const sfpu_t& value) {
    return is_constant(value) && (value.bits & 0xffff) == 0 && fixed_register(value) == 0;
}
sfpi_inline void upper_half_into(double& changed, unsigned opcode, std::uint32_t bits) {
    __asm__ volatile(".ttinsn %1|(%2<<8)|(.L%0<<4)" HALLMARK_SECOND_CYCLE
                     : HALLMARK_IN_OUT(changed)
                     : "i"(opcode << 24), "i"(bits >> 16));
}
sfpi_inline sfpu_t upper_half(const sfpu_t& value, unsigned opcode, std::uint32_t bits) {
    double changed = lanes(value);
    upper_half_into(changed, opcode, bits);
    return of_lanes(changed);
}

sfpi_inline sfpu_t three_sources(unsigned opcode, const sfpu_t& a, const sfpu_t& b, const sfpu_t& c, unsigned mode) {
    check_registers();
    if (opcode == MUL && mode == 0 && is_upper_half(b)) return upper_half(a, MULI, b.bits);
    if (opcode == MUL && mode == 0 && is_upper_half(a)) return upper_half(b, MULI, a.bits);
    if (opcode == ADD && mode == 0 && is_upper_half(c)) return upper_half(b, ADDI, c.bits);
    if (opcode == ADD && mode == 0 && is_upper_half(b)) return upper_half(c, ADDI, b.bits);
    Source first = source_of(a), second = source_of(b), third = source_of(c);
    double result;
    __asm__ volatile(HALLMARK_THREE_SOURCES
                     : HALLMARK_OUT(result)
                     : HALLMARK_THREE_OPERANDS(opcode, mode, first, second, third));
    return of_lanes(result);
}
sfpi_inline void three_sources_into(
    sfpu_t& variable, unsigned opcode, const sfpu_t& a, const sfpu_t& b, const sfpu_t& c, unsigned mode) {
    check_registers();
    if (is_without_value(variable) || !changes_some_lanes()) {
        variable = three_sources(opcode, a, b, c, mode);
        return;
    }
    Source first = source_of(a), second = source_of(b), third = source_of(c);
    double changed = kept_lanes(variable);
    __asm__ volatile(HALLMARK_THREE_SOURCES
                     : HALLMARK_IN_OUT(changed)
                     : HALLMARK_THREE_OPERANDS(opcode, mode, first, second, third));
    variable.lanes = changed;
    variable.form = LANES;
}

sfpi_inline sfpu_t negative(const sfpu_t& value) {
    if (is_constant(value)) return constant(value.bits ^ 0x80000000u);
    return unary<0x7c>(value, SFPMOV_MOD1_COMPSIGN);
}

// --- Integers ------------------------------------------------------------------------------------------------------------

// Whether a number has a place in an instruction.
constexpr bool is_immediate(std::uint32_t bits) {
    return static_cast<std::int32_t>(bits) >= -2048 && static_cast<std::int32_t>(bits) < 2048;
}
sfpi_inline bool fits_immediate(const sfpu_t& value) { return is_constant(value) && is_immediate(value.bits); }
// `mode` says what becomes of the lane flags.
sfpi_inline sfpu_t add_integers(const sfpu_t& a, const sfpu_t& b, unsigned mode = SFPIADD_MOD1_CC_NONE) {
    if (fits_immediate(b)) return unary<0x79>(a, mode | SFPIADD_MOD1_ARG_IMM, b.bits);
    if (fits_immediate(a)) return unary<0x79>(b, mode | SFPIADD_MOD1_ARG_IMM, a.bits);
    return commutative<0x79>(a, b, mode);
}
sfpi_inline sfpu_t subtract_integers(const sfpu_t& a, const sfpu_t& b, unsigned mode = SFPIADD_MOD1_CC_NONE) {
    if (is_constant(b) && is_immediate(0 - b.bits)) {
        return unary<0x79>(a, mode | SFPIADD_MOD1_ARG_IMM, 0 - b.bits);
    }
    return binary<0x79>(b, a, mode | SFPIADD_MOD1_ARG_2SCOMP_LREG_DST);
}

// By an amount that is negative to the right.
sfpi_inline sfpu_t shift(const sfpu_t& value, int amount, unsigned mode) {
    if (!__builtin_constant_p(amount)) return binary<0x7a>(value, constant(static_cast<std::uint32_t>(amount)), mode);
    double changed = lanes(value);
    immediate_into<0x7a>(changed, amount, mode | SFPSHFT_MOD1_SHIFT_IMM);
    return of_lanes(changed);
}
sfpi_inline sfpu_t shift(const sfpu_t& value, const sfpu_t& amount, unsigned mode) {
    if (is_constant(amount)) return shift(value, static_cast<int>(amount.bits), mode);
    return binary<0x7a>(value, amount, mode);
}

// --- Pairs of registers --------------------------------------------------------------------------------------------------

// SFPSWAP: the first gets the minima, in lanes that the mode says.
sfpi_inline void exchange(double& minimum, double& maximum, unsigned mode) {
    __asm__ volatile(".ttinsn 0x92000000|(.L%1<<8)|(.L%0<<4)|%2" HALLMARK_NOP
                     : HALLMARK_IN_OUT(minimum), HALLMARK_IN_OUT(maximum)
                     : "i"(mode));
}

// SFPSHFT2 by lanes (its page, "Instruction scheduling": nothing else on the next cycle).
sfpi_inline sfpu_t moved_lanes(const sfpu_t& source, unsigned mode) {
    double result;
    __asm__ volatile(".ttinsn 0x94000000|(.L%1<<8)|(.L%0<<4)|%2" HALLMARK_NOP
                     : HALLMARK_OUT(result)
                     : HALLMARK_IN(lanes(source)), "i"(mode));
    return of_lanes(result);
}
// SFPMOV from the generator of random numbers.
sfpi_inline sfpu_t random_bits() {
    check_registers();
    double result;
    __asm__ volatile(".ttinsn 0x7c000908|(.L%0<<4)" : HALLMARK_OUT(result));
    return of_lanes(result);
}

// --- Lane flags ----------------------------------------------------------------------------------------------------------

sfpi_inline void push_flags() {
    check_registers();
    HALLMARK_CHANGE_OF_FLAGS(".ttinsn 0x87000000" : "+m"(HALLMARK_LANE_FLAGS));
}
sfpi_inline void pop_flags() { HALLMARK_CHANGE_OF_FLAGS(".ttinsn 0x88000000" : "+m"(HALLMARK_LANE_FLAGS)); }
sfpi_inline void complement_flags() { HALLMARK_CHANGE_OF_FLAGS(".ttinsn 0x8b000000" : "+m"(HALLMARK_LANE_FLAGS)); }
sfpi_inline void narrow_flags(const sfpu_t& value, unsigned mode) {
    HALLMARK_CHANGE_OF_FLAGS(".ttinsn 0x7b000000|(.L%1<<8)|%2"
                     : "+m"(HALLMARK_LANE_FLAGS)
                     : HALLMARK_IN(lanes(value)), "i"(mode));
}
// For instructions that change the lane flags beside a result.
sfpi_inline void flags_changed() { HALLMARK_CHANGE_OF_FLAGS("" : "+m"(HALLMARK_LANE_FLAGS)); }

// --- Dst -----------------------------------------------------------------------------------------------------------------

sfpi_inline sfpu_t load(unsigned row, unsigned format, unsigned address_mode) {
    check_registers();
    const std::uint32_t word = 0x70000000u | format << 16 | address_mode << ADDRESS_MODE_SHIFT | row;
    if (!__builtin_constant_p(word)) return of_lanes(pushed_to_new(word));
    double result;
    __asm__ volatile(".ttinsn %1|(.L%0<<20)" : HALLMARK_OUT(result) : "i"(word));
    return of_lanes(result);
}
sfpi_inline void store(const sfpu_t& value, unsigned row, unsigned format, unsigned address_mode) {
    const std::uint32_t word = 0x72000000u | format << 16 | address_mode << ADDRESS_MODE_SHIFT | row;
    if (!__builtin_constant_p(word)) {
        pushed_from(lanes(value), word);
        return;
    }
    __asm__ volatile(".ttinsn %1|(.L%0<<20)" : : HALLMARK_IN(lanes(value)), "i"(word));
}
[[gnu::error("dst_reg advances by 0 to 7 rows at a time: INCRWC has four bits for twice the number")]]
void advances_too_far();
sfpi_inline void advance_rows(int rows) {
    if (__builtin_constant_p(rows)) {
        if (rows < 0 || rows > 15) advances_too_far();
        __asm__ volatile(".ttinsn 0x38000000|(%0<<14)" : : "i"(rows & 15));
    } else {
        __asm__ volatile("sw %0,0(%1)" : : "r"(0x38000000u | (rows & 15) << 14), "r"(INSTRUCTION_BUFFER));
    }
}

// --- Registers by their numbers ------------------------------------------------------------------------------------------

#define HALLMARK_EACH_REGISTER(_) _(0) _(1) _(2) _(3) _(4) _(5) _(6) _(7)

sfpi_inline sfpu_t read_register(unsigned number) {
    check_registers();
#define HALLMARK_READ(register_number)                             \
    if (number == register_number) {                               \
        register double pinned HALLMARK_PINNED(register_number);     \
        double lanes;                                              \
        __asm__ volatile("" : HALLMARK_OUT(pinned));               \
        __asm__ volatile("" : HALLMARK_OUT(lanes) : "0"(pinned));  \
        return of_lanes(lanes);                                    \
    }
    HALLMARK_EACH_REGISTER(HALLMARK_READ)
#undef HALLMARK_READ
    return constant_register(number);
}
sfpi_inline void write_register(unsigned number, const sfpu_t& value) {
    check_registers();
#define HALLMARK_WRITE(register_number)                                        \
    if (number == register_number) {                                           \
        register double pinned HALLMARK_PINNED(register_number) = lanes(value);  \
        __asm__ volatile("" : HALLMARK_IN_OUT(pinned));                        \
    }
    HALLMARK_EACH_REGISTER(HALLMARK_WRITE)
#undef HALLMARK_WRITE
}

// SFPCONFIG writes the first lanes of LReg0.
sfpi_inline void write_constant_register(unsigned number, const sfpu_t& value) {
    register double pinned HALLMARK_PINNED(0) = lanes(value);
    __asm__ volatile(".ttinsn 0x91000000|(%1<<4)" HALLMARK_NOP : HALLMARK_IN_OUT(pinned) : "i"(number));
}

// --- Tables --------------------------------------------------------------------------------------------------------------

// SFPLUT: slopes and intercepts in LReg0–LReg2, x in LReg3.
sfpi_inline sfpu_t table_of_three(
    const sfpu_t& first, const sfpu_t& second, const sfpu_t& third, const sfpu_t& x, unsigned mode) {
    register double table0 HALLMARK_PINNED(0) = lanes(first);
    register double table1 HALLMARK_PINNED(1) = lanes(second);
    register double table2 HALLMARK_PINNED(2) = lanes(third);
    register double argument HALLMARK_PINNED(3) = lanes(x);
    double result;
    __asm__ volatile(".ttinsn 0x73000000|(.L%0<<20)|(%5<<16)" HALLMARK_SECOND_CYCLE
                     : HALLMARK_OUT(result)
                     : HALLMARK_IN(table0), HALLMARK_IN(table1), HALLMARK_IN(table2), HALLMARK_IN(argument), "i"(mode));
    return of_lanes(result);
}
// SFPLUTFP32: slopes in LReg0–LReg2, intercepts in LReg4–LReg6, x in LReg3.
sfpi_inline sfpu_t table_of_six(
    const sfpu_t& slope0,
    const sfpu_t& slope1,
    const sfpu_t& slope2,
    const sfpu_t& intercept0,
    const sfpu_t& intercept1,
    const sfpu_t& intercept2,
    const sfpu_t& x,
    unsigned mode) {
    register double table0 HALLMARK_PINNED(0) = lanes(slope0);
    register double table1 HALLMARK_PINNED(1) = lanes(slope1);
    register double table2 HALLMARK_PINNED(2) = lanes(slope2);
    register double table4 HALLMARK_PINNED(4) = lanes(intercept0);
    register double table5 HALLMARK_PINNED(5) = lanes(intercept1);
    register double table6 HALLMARK_PINNED(6) = lanes(intercept2);
    register double argument HALLMARK_PINNED(3) = lanes(x);
    double result;
    __asm__ volatile(".ttinsn 0x95000000|(.L%0<<4)|%8" HALLMARK_SECOND_CYCLE
                     : HALLMARK_OUT(result)
                     : HALLMARK_IN(table0), HALLMARK_IN(table1), HALLMARK_IN(table2), HALLMARK_IN(table4),
                       HALLMARK_IN(table5), HALLMARK_IN(table6), HALLMARK_IN(argument), "i"(mode));
    return of_lanes(result);
}

// SFPTRANSP: LReg0–LReg3; LReg4–LReg7 are transposed beside them.
sfpi_inline void transpose(sfpu_t& a, sfpu_t& b, sfpu_t& c, sfpu_t& d) {
    register double row0 HALLMARK_PINNED(0) = lanes(a);
    register double row1 HALLMARK_PINNED(1) = lanes(b);
    register double row2 HALLMARK_PINNED(2) = lanes(c);
    register double row3 HALLMARK_PINNED(3) = lanes(d);
    __asm__ volatile(".ttinsn 0x8c000000"
                     : HALLMARK_IN_OUT(row0), HALLMARK_IN_OUT(row1), HALLMARK_IN_OUT(row2), HALLMARK_IN_OUT(row3)
                     :
#ifdef __riscv_flen
                     : "ft4", "ft5", "ft6", "ft7"
#endif
    );
    a = of_lanes(row0);
    b = of_lanes(row1);
    c = of_lanes(row2);
    d = of_lanes(row3);
}

}  // namespace sfpi::impl_

#pragma GCC diagnostic pop

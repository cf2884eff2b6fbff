// MATH: what inits leave in the vector unit, and which of it each function reads. All functions share three constants, the macros,
// an address modifier, the replay buffer, the lanes' configuration and the registers, so that another init or function may have
// overwritten them. Hallmark's own functions read none of it; those of TT-Metalium 0.81.1 do, and would compute something else.
#pragma once

#include <stdint.h>

#include "hallmark/misuse.h"

namespace hallmark {

// One content of a place. Contents of a place that functions of several inits read have one name.
enum class Content : uint32_t {
    // Nothing that a function reads.
    kOther,
    // Constants.
    kReciprocal,
    kReciprocalOf16Bits,
    kExponential,
    kExponentialApproximate,
    kExponentialUnclamped,
    kPowerOfTwo,
    kExponentialLessOne,
    kExponentialLessOneOf32Bits,
    kLogarithm,
    kLogarithmOf32Bits,
    kRoot,
    kRootApproximate,
    kTanh,
    kTanhOf32Bits,
    kTanhDerivative,
    kHalf,
    kSine,
    kCosine,
    kTangent,
    kHardSigmoid,
    kPower,
    kRoundingToBfloat16,
    kProduct,
    kProductOf16Bits,
    kLastBit,
    kFloatOfUint32,
    kByte,
    kSignOfByte,
    // Macros.
    kReciprocalOf32Bits,
    kMaximum,
    kMinimum,
    kMaximumOfInt32,
    kMaximumOfUint32,
    kMinimumOfInt32,
    kMinimumOfUint32,
    kMaximumWithScalar,
    kMinimumWithScalar,
    // The smaller of two integers without a sign is found as the larger one of two with a sign, and the other way round.
    kInt32WithScalar,
    kUint32WithScalar,
    kSignBit,
    kChoice,
    kFloatOfInt32,
    kBfloat16OfInt32,
    kBfloat16OfUint32,
    kFloatOfInt8,
    // How far the modifier moves Dst on.
    kTwoRows,
    kFourRows,
    kThirtyTwoRows,
    // Replayed instructions.
    kRunningSums,
    kColumn,
    kStatistics,
    // The lanes' configuration.
    kMovedIndices,
    // Registers. Values of constants and macros come from the first one.
    kTableOfSigmoid,
    kTableOfTanh,
    kTableOfGelu,
};

// Contents of some places. In the first two words each byte is a place, in the third one each half.
struct Left {
    uint32_t constants = 0, constants_mask = 0;
    uint32_t programs = 0, programs_mask = 0;
    uint32_t registers = 0, registers_mask = 0;

    constexpr Left operator|(Left other) const {
        return {constants | other.constants, constants_mask | other.constants_mask,
                programs | other.programs,   programs_mask | other.programs_mask,
                registers | other.registers, registers_mask | other.registers_mask};
    }
};

constexpr Left nothing() { return {}; }
// LREG12 to LREG14.
constexpr Left constant(uint32_t number, Content content) {
    return {static_cast<uint32_t>(content) << 8 * number, 0xFFu << 8 * number};
}
constexpr Left constants(Content content) {
    return constant(0, content) | constant(1, content) | constant(2, content);
}
constexpr Left program(uint32_t byte, Content content) {
    return {0, 0, static_cast<uint32_t>(content) << 8 * byte, 0xFFu << 8 * byte};
}
constexpr Left macros(Content content) { return program(0, content); }
constexpr Left modifier(Content content) { return program(1, content); }
constexpr Left replays(Content content) { return program(2, content); }
constexpr Left lanes(Content content) { return program(3, content); }
constexpr Left lower_registers(Content content) { return {0, 0, 0, 0, static_cast<uint32_t>(content), 0xFFFF}; }
constexpr Left upper_registers(Content content) { return {0, 0, 0, 0, static_cast<uint32_t>(content) << 16, 0xFFFF0000}; }

#if defined(ARCH_BLACKHOLE)
inline constexpr bool kIsBlackhole = true;
#else
inline constexpr bool kIsBlackhole = false;
#endif
constexpr Left on_wormhole(Left left) { return kIsBlackhole ? nothing() : left; }
constexpr Left on_blackhole(Left left) { return kIsBlackhole ? left : nothing(); }

inline uint32_t left_constants, left_programs, left_registers;

FORCE_INLINE void leave(Left left) {
    left_constants = (left_constants & ~left.constants_mask) | left.constants;
    left_programs = (left_programs & ~left.programs_mask) | left.programs;
    left_registers = (left_registers & ~left.registers_mask) | left.registers;
}
FORCE_INLINE bool is_left(Left left) {
    return (left_constants & left.constants_mask) == left.constants && (left_programs & left.programs_mask) == left.programs &&
           (left_registers & left.registers_mask) == left.registers;
}

// Every init sets the lanes' configuration; one that sets constants or macros overwrites the first register for it.
FORCE_INLINE void leave_by_init(Left left) {
    leave(lanes(Content::kOther));
    if ((left.constants_mask | (left.programs_mask & macros(Content::kOther).programs_mask)) != 0) {
        leave(lower_registers(Content::kOther));
    }
    leave(left);
}
// Any function may use any register.
FORCE_INLINE void use_registers() { left_registers = 0; }

// What the inits of more than one function leave, or of one by its template arguments.

constexpr Left reciprocal_constants() {
    return kIsBlackhole ? constant(0, Content::kReciprocal) : constants(Content::kReciprocal);
}
constexpr Left reciprocal_constants_unless(bool approximate) {
    return kIsBlackhole && approximate ? nothing() : reciprocal_constants();
}
constexpr Left reciprocal_program(bool of_32_bits, bool approximate) {
    if (!kIsBlackhole) {
        return constants(of_32_bits || approximate ? Content::kReciprocal : Content::kReciprocalOf16Bits);
    }
    if (approximate) {
        return macros(Content::kReciprocal) | modifier(Content::kTwoRows);
    }
    if (!of_32_bits) {
        return macros(Content::kReciprocalOf16Bits) | modifier(Content::kTwoRows);
    }
    return macros(Content::kReciprocalOf32Bits) | modifier(Content::kTwoRows) | replays(Content::kReciprocal);
}
constexpr Left exponential_constants() {
    return constant(0, Content::kExponential) | constant(1, Content::kExponential) | on_blackhole(modifier(Content::kTwoRows));
}
constexpr Left exponential_program(bool clamps) {
    return clamps ? constants(Content::kExponentialApproximate) | macros(Content::kExponentialApproximate)
                  : constants(Content::kExponentialUnclamped) | macros(Content::kExponentialUnclamped) |
                        replays(Content::kExponentialUnclamped);
}
constexpr Left power_of_two_constants(bool of_32_bits) { return of_32_bits ? constants(Content::kPowerOfTwo) : nothing(); }
constexpr Left exponential_less_one_constants(bool of_32_bits) {
    const Content content = of_32_bits ? Content::kExponentialLessOneOf32Bits : Content::kExponentialLessOne;
    return constant(0, Content::kExponential) | constant(1, content) | constant(2, content);
}
constexpr Left logarithm_constants(bool of_32_bits, bool is_to_base_two = false) {
    const Content content = of_32_bits ? Content::kLogarithmOf32Bits : Content::kLogarithm;
    return (is_to_base_two ? nothing() : constant(0, Content::kLogarithm)) | constant(1, content) | constant(2, content);
}
constexpr Left root_constants(bool approximate) {
    return approximate ? constant(0, Content::kRootApproximate) | constant(1, Content::kRootApproximate)
                       : constants(Content::kRoot);
}
constexpr Left sigmoid_constants(bool approximate) {
    return approximate ? lower_registers(Content::kTableOfSigmoid) : reciprocal_constants();
}
constexpr Left tanh_constants(bool approximate, bool of_32_bits) {
    return approximate ? lower_registers(Content::kTableOfTanh)
                       : constants(of_32_bits ? Content::kTanhOf32Bits : Content::kTanh);
}
constexpr Left gelu_constants(bool approximate, bool of_32_bits) {
    return approximate  ? constant(0, Content::kHalf) | lower_registers(Content::kTableOfGelu)
           : of_32_bits ? reciprocal_constants()
                        : nothing();
}
constexpr Left hard_sigmoid_constants() {
    return constant(0, Content::kHardSigmoid) | constant(1, Content::kHardSigmoid);
}
constexpr Left power_constants() {
    return constant(0, Content::kExponential) | constant(1, Content::kPower) | constant(2, Content::kPower);
}
constexpr Left power_of_32_bits_constants() { return constant(0, Content::kExponential) | constant(2, Content::kPower); }
constexpr Left power_of_tiles_constants() { return constant(0, Content::kExponential) | constant(1, Content::kPower); }
constexpr Left square_program(bool of_32_bits) {
    return modifier(Content::kFourRows) | (of_32_bits ? nothing() : constants(Content::kRoundingToBfloat16));
}
constexpr Left comparison_program() { return modifier(Content::kTwoRows); }
constexpr Left macro_program(Content content) { return macros(content) | modifier(Content::kTwoRows); }
constexpr Left product_program(bool of_16_bits) {
    const Left left = modifier(Content::kTwoRows);
    if (kIsBlackhole) {
        return left | macros(of_16_bits ? Content::kProductOf16Bits : Content::kProduct);
    }
    return left | (of_16_bits ? constant(0, Content::kProductOf16Bits) | constant(1, Content::kProductOf16Bits) |
                                    macros(Content::kProductOf16Bits)
                              : constants(Content::kProduct));
}
constexpr Left column_program() { return replays(Content::kColumn) | upper_registers(Content::kColumn); }
constexpr Left sorting_program() { return modifier(Content::kThirtyTwoRows) | lanes(Content::kMovedIndices); }

}  // namespace hallmark

// Expressions over what is left name it without its namespace.
#define HALLMARK_LEAVE(left)         \
    __extension__({                  \
        using namespace hallmark;    \
        leave(left);                 \
    })
#define HALLMARK_LEAVE_BY_INIT(left) \
    __extension__({                  \
        using namespace hallmark;    \
        prepare_vectors();           \
        leave_by_init(left);         \
    })
#define HALLMARK_NEEDS_LEFT(call, init, left)                                                                            \
    __extension__({                                                                                                      \
        using namespace hallmark;                                                                                        \
        HALLMARK_REQUIRE(                                                                                                \
            is_left(left),                                                                                               \
            #call " would compute something else under TT-Metalium: what " #init " leaves in the vector unit is not "    \
                  "there. Either " #init " was not called with these template arguments, or another init or function "   \
                  "has overwritten it. Call " #init " right before " #call);                                             \
    })
// Where a function continues from the registers of the one before.
#define HALLMARK_NEEDS_REGISTERS(condition, sentence)                                                                \
    __extension__({                                                                                                  \
        using namespace hallmark;                                                                                    \
        HALLMARK_REQUIRE(                                                                                            \
            condition, sentence ", which are no longer in the vector unit's registers: call no other function of "   \
                                "the vector unit in between, or restore or clear them first");                       \
    })

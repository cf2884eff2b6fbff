// MATH: the vector unit, from Dst to its registers and back, 32 data at a time.
#pragma once

#include "hallmark/left_by_inits.h"
#include "hallmark/math_thread.h"
#include "hallmark/vector_mode.h"
#include "sfpi.h"

// A float by its pattern.
#define HALLMARK_FLOAT(bits) ::sfpi::as<::sfpi::vFloat>(::sfpi::vUInt(bits))

namespace hallmark {

using sfpi::vFloat;
using sfpi::vInt;
using sfpi::vUInt;

// The address modifier that leaves all counters as they are: the last one, in the words of SETC16.
#if defined(ARCH_BLACKHOLE)
inline constexpr uint32_t kStillModifier = 19, kStillDstModifier = 35, kStillBiasModifier = 54;
#else
inline constexpr uint32_t kStillModifier = 21, kStillDstModifier = 30, kStillBiasModifier = 55;
#endif

// Vectors of 32 data in a face and in a tile: 4 rows of every other column.
inline constexpr uint32_t kFaceVectors = 8, kTileVectors = 32;

inline bool vectors_are_prepared;

// What each init does: the modifier, flags that decide about lanes (SFPENCC.md), the lanes' configuration (SFPCONFIG.md), and
// -1 in the register that differences need.
FORCE_INLINE void prepare_vectors() {
    if (vectors_are_prepared) {
        return;
    }
    vectors_are_prepared = true;
    push_now<set_thread_word(kStillModifier, 0)>();
    push_now<set_thread_word(kStillDstModifier, 0)>();
    push_now<set_thread_word(kStillBiasModifier, 0)>();
    push_now<0x8Au << 24 | 3 << 12 | 10>();
    push_now<0x91u << 24 | 15 << 4 | 1>();
    push_now<0x8Fu << 24>();
    sfpi::impl_::write_constant_register(sfpi::CREG_IDX_NEG_1, sfpi::impl_::constant(0xBF800000));
}

// Between the last write of the matrix unit and the first load there are at least three instructions: SETRWC, with which
// each operation of the matrix unit ends, and two here. SFPLOAD.md advises that instead of a wait.
FORCE_INLINE void begin_vectors(uint32_t index) {
    HALLMARK_REQUIRE(
        vectors_are_prepared,
        "the vector unit is not prepared: call the init of this function before, as exp_tile_init() before exp_tile(idst); "
        "behind an exp_tile with InputClamping::None, call it again");
    if constexpr (kExponentsDiffer) {
        HALLMARK_REQUIRE(
            short_exponents[kSourceA] == short_exponents[kSourceB],
            "SrcA and SrcB are configured for exponents of different widths, and the vector unit reads Dst by the format of SrcB: "
            "call reconfig_data_format for both before");
    }
    use_registers();
    choose_tile(index);
#if defined(ARCH_BLACKHOLE)
    push_now<kNop>();
#else
    // Two bits choose among eight modifiers: the upper four.
    push_now<set_thread_word(kThreadModifierSet, 1)>();
#endif
}

FORCE_INLINE void end_vectors() {
#if !defined(ARCH_BLACKHOLE)
    push_now<set_thread_word(kThreadModifierSet, 0)>();
#endif
    // SETRWC: all counters are 0.
    push_now<0x37u << 24 | 0xF>();
}

// INCRWC: Dst 16 rows further, in steps of 8.
FORCE_INLINE void skip_face() {
    push_now<0x38u << 24 | 8 << 14>();
    push_now<0x38u << 24 | 8 << 14>();
}

template <typename Operation>
FORCE_INLINE void for_vectors(uint32_t vectors, Operation operation) {
    for (uint32_t vector = 0; vector < vectors; ++vector) {
        operation();
        sfpi::dst_reg++;
    }
}

// The faces of a tile, those of its upper or left half, or the first one.
template <typename Operation>
FORCE_INLINE void for_faces(ckernel::VectorMode mode, Operation operation) {
    using ckernel::VectorMode;
    if (mode == VectorMode::C) {
        for (uint32_t column = 0; column < 2; ++column) {
            for_vectors(kFaceVectors, operation);
            skip_face();
        }
    } else {
        for_vectors(
            mode == VectorMode::RC  ? kTileVectors
            : mode == VectorMode::R ? 2 * kFaceVectors
                                    : kFaceVectors,
            operation);
    }
}

// To the nearest bfloat16, ties to even. SFPSTOCHRND rounds ties away from zero and makes infinities of NaN.
sfpi_inline vFloat to_bfloat16(vFloat value) {
    vUInt bits = sfpi::as<vUInt>(value);
    vUInt odd = (bits >> 16) & 1;
    return sfpi::as<vFloat>(bits + odd + 0x7FFF);
}

// Integers below 2^23 as floats, and back, by the last bits of 2^23.
sfpi_inline vFloat float_of_bits(vUInt bits) { return sfpi::as<vFloat>(bits | 0x4B000000u) - 0x1p23f; }
sfpi_inline vInt bits_of_float(vFloat value) {
    return sfpi::as<vInt>(sfpi::as<vUInt>(vFloat(value + 0x1p23f)) & 0x7FFFFF);
}

// Results are rounded to 16 bits of which 8 are the exponent. What a store leaves out of a float is cut off (SFPSTORE.md); for the
// format with 5 bits of exponent it is.
template <bool kRounds>
struct Rounding {
    static sfpi_inline vFloat of(vFloat value) {
        if constexpr (kRounds) {
            return to_bfloat16(value);
        } else {
            return value;
        }
    }
};

// Whether results are rounded to the format of Dst. Functions whose results need none, or that TT-Metalium does not round, are exact.
enum class Results { kRounded, kExact };

// An operation on all vectors, which is told how to round.
template <Results kResults, typename Operation>
FORCE_INLINE void for_rounded_faces(ckernel::VectorMode mode, Operation operation) {
    const auto all = [=](auto rounding) __attribute__((always_inline)) {
        for_faces(mode, [=]() __attribute__((always_inline)) { operation(rounding); });
    };
    if constexpr (kResults == Results::kExact) {
        all(Rounding<false>{});
        return;
    }
    if constexpr (kExponentsDiffer) {
        if (!short_exponents[kSourceB]) {
            all(Rounding<true>{});
            return;
        }
    }
    all(Rounding<!kWide && kShortExponents == 0>{});
}

// A function of each datum of a tile. `Function::of` takes a vector and gives one.
template <typename Function, Results kResults = Results::kRounded, typename... Arguments>
FORCE_INLINE void map_tile(uint32_t index, ckernel::VectorMode mode, Arguments... arguments) {
    begin_vectors(index);
    for_rounded_faces<kResults>(mode, [=](auto rounding) __attribute__((always_inline)) {
        vFloat value = sfpi::dst_reg[0];
        sfpi::dst_reg[0] = rounding.of(vFloat(Function::of(value, arguments...)));
    });
    end_vectors();
}
template <typename Function, typename... Arguments>
FORCE_INLINE void map_tile_exactly(uint32_t index, ckernel::VectorMode mode, Arguments... arguments) {
    map_tile<Function, Results::kExact>(index, mode, arguments...);
}

// How integers of a format lie in Dst: uint16 has half a word.
constexpr sfpi::DataLayout layout_of(DataFormat format) {
    return format == DataFormat::UInt16 ? sfpi::DataLayout::U16 : sfpi::DataLayout::I32;
}

// A function of integers. What a store of uint16 leaves out are the upper bits.
template <typename Function, sfpi::DataLayout kLayout, typename... Arguments>
FORCE_INLINE void map_integers(uint32_t index, Arguments... arguments) {
    begin_vectors(index);
    for_faces(ckernel::VectorMode::RC, [=]() __attribute__((always_inline)) {
        vInt value = sfpi::dst_reg[0].mode<kLayout>();
        sfpi::dst_reg[0].mode<kLayout>() = vInt(Function::of(value, arguments...));
    });
    end_vectors();
}

// Rows of Dst from one tile to the next, as `dst_reg` counts them.
inline constexpr uint32_t kTileStep = kTileRows / sfpi::SFP_DESTREG_STRIDE;

template <typename Function, Results kResults = Results::kRounded>
FORCE_INLINE void combine_tiles(
    uint32_t first, uint32_t second, uint32_t result, ckernel::VectorMode mode = ckernel::VectorMode::RC) {
    begin_vectors(0);
    for_rounded_faces<kResults>(mode, [=](auto rounding) __attribute__((always_inline)) {
        vFloat one = sfpi::dst_reg[first * kTileStep];
        vFloat other = sfpi::dst_reg[second * kTileStep];
        sfpi::dst_reg[result * kTileStep] = rounding.of(vFloat(Function::of(one, other)));
    });
    end_vectors();
}
template <typename Function>
FORCE_INLINE void combine_tiles_exactly(uint32_t first, uint32_t second, uint32_t result) {
    combine_tiles<Function, Results::kExact>(first, second, result);
}
template <typename Function, sfpi::DataLayout kLayout>
FORCE_INLINE void combine_integers(uint32_t first, uint32_t second, uint32_t result) {
    begin_vectors(0);
    for_faces(ckernel::VectorMode::RC, [=]() __attribute__((always_inline)) {
        vInt one = sfpi::dst_reg[first * kTileStep].mode<kLayout>();
        vInt other = sfpi::dst_reg[second * kTileStep].mode<kLayout>();
        sfpi::dst_reg[result * kTileStep].mode<kLayout>() = vInt(Function::of(one, other));
    });
    end_vectors();
}

}  // namespace hallmark

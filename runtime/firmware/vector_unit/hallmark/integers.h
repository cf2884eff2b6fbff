// Integers of 32 bits in Dst, in two's complement, and their conversions. Arithmetic is exact modulo 2^32; conversions to integers stop at
// the ends of their range or wrap modulo 256, as each says.
#pragma once

#include "hallmark/selection.h"

namespace hallmark {

using sfpi::DataLayout;

struct Sum {
    static sfpi_inline vInt of(vInt a, vInt b) { return a + b; }
};
struct Difference {
    static sfpi_inline vInt of(vInt a, vInt b) { return a - b; }
};
struct TurnedDifference {
    static sfpi_inline vInt of(vInt a, vInt b) { return b - a; }
};
struct And {
    static sfpi_inline vInt of(vInt a, vInt b) { return sfpi::as<vInt>(sfpi::as<vUInt>(a) & sfpi::as<vUInt>(b)); }
};
struct Or {
    static sfpi_inline vInt of(vInt a, vInt b) { return sfpi::as<vInt>(sfpi::as<vUInt>(a) | sfpi::as<vUInt>(b)); }
};
struct ExclusiveOr {
    static sfpi_inline vInt of(vInt a, vInt b) { return sfpi::as<vInt>(sfpi::as<vUInt>(a) ^ sfpi::as<vUInt>(b)); }
};
struct Not {
    static sfpi_inline vInt of(vInt a) { return ~a; }
};
template <typename Function>
struct WithScalar {
    static sfpi_inline vInt of(vInt a, uint32_t scalar) { return Function::of(a, vInt(static_cast<int32_t>(scalar))); }
};

// 11 bits of an integer as a float.
sfpi_inline vFloat piece(vInt value, int place) {
    vUInt bits = (sfpi::as<vUInt>(value) >> place) & 0x7FF;
    return float_of_bits(bits);
}

// Products of pieces, of which each is exact as a float. What is beyond 32 bits falls off.
struct ProductOfIntegers {
    static sfpi_inline vInt of(vInt a, vInt b) {
        vFloat a0 = piece(a, 0), a1 = piece(a, 11), a2 = piece(a, 22);
        vFloat b0 = piece(b, 0);
        vInt result = bits_of_float(a0 * b0);
        result = result + (bits_of_float(a1 * b0) << 11);
        result = result + (bits_of_float(a2 * b0) << 22);
        vFloat b1 = piece(b, 11);
        result = result + (bits_of_float(a0 * b1) << 11);
        result = result + (bits_of_float(a1 * b1) << 22);
        vFloat b2 = piece(b, 22);
        return result + (bits_of_float(a0 * b2) << 22);
    }
};

// What a shift by an amount that is not from 0 to 31 gives: as under TT-Metalium, 0, or what a shift by 31 gives.
enum class BeyondWord { kZero, kAs31 };

template <bool kLeft, bool kKeepsSign, BeyondWord kBeyond>
struct Shift {
    static sfpi_inline vInt of(vInt a, vInt amount) {
        if constexpr (kBeyond == BeyondWord::kAs31) {
            v_if((sfpi::as<vUInt>(amount) & 0xFFFFFFE0u) != 0) { amount = 31; }
            v_endif;
        }
        vInt turned = kLeft ? amount : 0 - amount;
        vInt result = sfpi::as<vInt>(sfpi::shft(sfpi::as<vUInt>(a), turned));
        if constexpr (!kLeft && kKeepsSign) {
            v_if(a < 0) {
                vUInt ones = sfpi::shft(vUInt(0xFFFFFFFFu), 32 - amount);
                v_if(amount == 0) { ones = 0; }
                v_endif;
                result = sfpi::as<vInt>(sfpi::as<vUInt>(result) | ones);
            }
            v_endif;
        }
        if constexpr (kBeyond == BeyondWord::kZero) {
            v_if((sfpi::as<vUInt>(amount) & 0xFFFFFFE0u) != 0) { result = 0; }
            v_endif;
        }
        return result;
    }
};

struct AbsoluteOfInteger {
    static sfpi_inline vInt of(vInt a) {
        v_if(a < 0) { a = 0 - a; }
        v_endif;
        return a;
    }
};
struct NegativeOfInteger {
    static sfpi_inline vInt of(vInt a) { return 0 - a; }
};
// Of unsigned numbers, the uppermost bit is turned.
sfpi_inline vInt turned(vInt a) { return sfpi::as<vInt>(sfpi::as<vUInt>(a) ^ 0x80000000u); }

template <Order kOrder, bool kIsUnsigned = false>
struct ComparedIntegers {
    static sfpi_inline vInt of(vInt a, vInt b) {
        if constexpr (kIsUnsigned) {
            return relation<kOrder>(turned(a), turned(b));
        } else {
            return relation<kOrder>(a, b);
        }
    }
};
template <Order kOrder>
struct IntegerComparedToZero {
    static sfpi_inline vInt of(vInt a) { return relation<kOrder>(a, vInt(0)); }
};
template <bool kMaximum, bool kIsUnsigned>
struct ExtremeOfIntegers {
    static sfpi_inline vInt of(vInt a, vInt b) {
        vInt flags = ComparedIntegers<Order::Less, kIsUnsigned>::of(a, b);
        vInt result = kMaximum ? a : b;
        v_if(flags != 0) { result = kMaximum ? b : a; }
        v_endif;
        return result;
    }
};
struct ClampedInteger {
    static sfpi_inline vInt of(vInt a, uint32_t least, uint32_t most) {
        vInt result = ExtremeOfIntegers<true, false>::of(a, vInt(static_cast<int32_t>(least)));
        return ExtremeOfIntegers<false, false>::of(result, vInt(static_cast<int32_t>(most)));
    }
};

// Toward 0, and the nearest bound of what has no place in the integer. A NaN is one beyond.
sfpi_inline vInt int32_of_float(vFloat x) {
    vInt exponent = sfpi::exexp(x, sfpi::ExponentMode::Biased) - 150;
    vInt result = sfpi::as<vInt>(sfpi::shft(sfpi::as<vUInt>(sfpi::exman(x, sfpi::MantissaMode::WithUnitBit)), exponent));
    v_if(exponent < -24) { result = 0; }
    v_elseif(exponent > 7) { result = 0x7FFFFFFF; }
    v_endif;
    v_if(sfpi::as<vInt>(x) < 0) {
        result = 0 - result;
        v_if(exponent > 7) { result = static_cast<int32_t>(0x80000000); }
        v_endif;
    }
    v_endif;
    return result;
}
sfpi_inline vInt uint32_of_float(vFloat x) {
    vInt exponent = sfpi::exexp(x, sfpi::ExponentMode::Biased) - 150;
    vInt result = sfpi::as<vInt>(sfpi::shft(sfpi::as<vUInt>(sfpi::exman(x, sfpi::MantissaMode::WithUnitBit)), exponent));
    v_if(exponent < -24) { result = 0; }
    v_elseif(exponent > 8) { result = -1; }
    v_endif;
    v_if(sfpi::as<vInt>(x) < 0) { result = 0; }
    v_endif;
    return result;
}
// To the nearest float, ties to even.
sfpi_inline vFloat float_of_uint32(vInt a) {
    // The upper half and the lower half, whose sum is rounded once.
    vUInt upper = sfpi::as<vUInt>(a) >> 16;
    vUInt lower = sfpi::as<vUInt>(a) & 0xFFFF;
    return float_of_bits(upper) * 0x1p16f + float_of_bits(lower);
}
sfpi_inline vFloat float_of_int32(vInt a) {
    vFloat result = float_of_uint32(AbsoluteOfInteger::of(a));
    v_if(a < 0) { result = -result; }
    v_endif;
    return result;
}

// A bfloat16 in Dst. The store of 16 bits cuts the lower half off; 32 bits keep it, and packers would round again.
sfpi_inline vFloat bfloat16_in_dst(vFloat value) {
    vFloat rounded = to_bfloat16(value);
    if constexpr (kWide) {
        rounded = sfpi::as<vFloat>(sfpi::as<vUInt>(rounded) & 0xFFFF0000u);
    }
    return rounded;
}

// Integers of 8 bits are the lowest byte of an integer, and a float beyond 32 bits has none. Of those with a sign, Dst holds the byte in
// two's complement.
sfpi_inline vInt byte_of_float(vFloat x) {
    vInt result = And::of(int32_of_float(x), 0xFF);
    v_if(sfpi::exexp(x, sfpi::ExponentMode::Biased) > 127 + 30) { result = 0; }
    v_endif;
    return result;
}
template <DataFormat kFrom>
sfpi_inline vInt with_sign_of(vInt byte) {
    if constexpr (kFrom == DataFormat::Int8) {
        return ExclusiveOr::of(byte, 0x80) - 128;
    } else {
        return byte;
    }
}

// From an integer of 8 bits, or to one.
template <DataFormat kFrom, DataFormat kTo>
FORCE_INLINE void convert_bytes(uint32_t index) {
    if constexpr ((is_byte(kFrom) && is_byte(kTo)) || (kFrom == DataFormat::UInt8 && is_integer_of_32_bits(kTo))) {
        return;
    }
    begin_vectors(index);
    for_faces(ckernel::VectorMode::RC, []() __attribute__((always_inline)) {
        if constexpr (is_float(kFrom)) {
            sfpi::dst_reg[0].mode<DataLayout::I32>() = byte_of_float(sfpi::dst_reg[0]);
        } else if constexpr (is_float(kTo)) {
            vInt value = with_sign_of<kFrom>(sfpi::dst_reg[0].mode<DataLayout::I32>());
            sfpi::dst_reg[0] = kFrom == DataFormat::Int8 ? float_of_int32(value) : float_of_uint32(value);
        } else {
            vInt value = sfpi::dst_reg[0].mode<DataLayout::I32>();
            sfpi::dst_reg[0].mode<DataLayout::I32>() = is_byte(kTo) ? And::of(value, 0xFF) : with_sign_of<kFrom>(value);
        }
    });
    end_vectors();
}

// What the init of a conversion leaves, and the function reads.
constexpr bool is_rounded_to_8_bits(DataFormat format) {
    return format == DataFormat::Float16_b || format == DataFormat::Bfp8_b || format == DataFormat::Bfp4_b;
}
constexpr Left needed_by_conversion(DataFormat from, DataFormat to) {
    const Left two_rows = modifier(Content::kTwoRows);
    const bool from_float = from == DataFormat::Float32 || is_rounded_to_8_bits(from);
    const bool to_float = to == DataFormat::Float32 || is_rounded_to_8_bits(to);
    if (from == DataFormat::Float32 && to == DataFormat::Float16_b) {
        return two_rows | constants(Content::kRoundingToBfloat16);
    }
    if ((from_float || is_integer_of_32_bits(from)) && is_byte(to)) {
        return two_rows | constant(0, Content::kByte);
    }
    if (from_float && is_integer_of_32_bits(to)) {
        return two_rows;
    }
    if (from == DataFormat::Int8 && (is_integer_of_32_bits(to) || to_float)) {
        return two_rows | constant(0, Content::kSignOfByte) | (to_float ? macros(Content::kFloatOfInt8) : nothing());
    }
    if (from == DataFormat::Int32 && to_float) {
        return two_rows | constant(0, Content::kLastBit) |
               macros(to == DataFormat::Float32 ? Content::kFloatOfInt32 : Content::kBfloat16OfInt32);
    }
    if ((from == DataFormat::UInt32 || from == DataFormat::UInt8) && to_float) {
        return two_rows | (to == DataFormat::Float32
                               ? constant(0, Content::kFloatOfUint32) | constant(1, Content::kFloatOfUint32) |
                                     macros(Content::kFloatOfUint32)
                               : constant(0, Content::kLastBit) | macros(Content::kBfloat16OfUint32));
    }
    return nothing();
}
constexpr Left left_by_conversion(DataFormat from, DataFormat to) {
    const Left second = is_integer_of_32_bits(from) && is_byte(to) ? constant(1, Content::kByte) : nothing();
    return modifier(Content::kTwoRows) | needed_by_conversion(from, to) | second;
}

// The layouts of data in Dst, from one format to another.
template <DataFormat kFrom, DataFormat kTo>
FORCE_INLINE void convert_tile(uint32_t index) {
    if constexpr (is_byte(kFrom) || is_byte(kTo)) {
        convert_bytes<kFrom, kTo>(index);
    } else if constexpr (is_float(kFrom) && is_float(kTo)) {
        if constexpr (kTo == DataFormat::Float16_b) {
            begin_vectors(index);
            for_faces(ckernel::VectorMode::RC, []() __attribute__((always_inline)) {
                vFloat value = sfpi::dst_reg[0];
                sfpi::dst_reg[0] = unless_nan(value, bfloat16_in_dst(value));
            });
            end_vectors();
        }
    } else if constexpr (is_float(kFrom)) {
        begin_vectors(index);
        for_faces(ckernel::VectorMode::RC, []() __attribute__((always_inline)) {
            vFloat value = sfpi::dst_reg[0];
            sfpi::dst_reg[0].mode<DataLayout::I32>() =
                kTo == DataFormat::Int32 ? int32_of_float(value) : uint32_of_float(value);
        });
        end_vectors();
    } else if constexpr (is_float(kTo)) {
        begin_vectors(index);
        for_faces(ckernel::VectorMode::RC, []() __attribute__((always_inline)) {
            vInt value = sfpi::dst_reg[0].mode<DataLayout::I32>();
            vFloat result = kFrom == DataFormat::Int32 ? float_of_int32(value) : float_of_uint32(value);
            if constexpr (kTo == DataFormat::Float16_b) {
                // As TT-Metalium: ties are rounded away from 0.
                result = sfpi::convert<sfpi::vFloat16b>(result, sfpi::RoundMode::NearestAway);
            }
            sfpi::dst_reg[0] = result;
        });
        end_vectors();
    }
}

template <DataLayout kLayout>
FORCE_INLINE void fill_tile_with(uint32_t index, uint32_t bits) {
    begin_vectors(index);
    for_faces(ckernel::VectorMode::RC, [=]() __attribute__((always_inline)) {
        if constexpr (kLayout == DataLayout::I32) {
            sfpi::dst_reg[0].mode<kLayout>() = vInt(static_cast<int32_t>(bits));
        } else {
            sfpi::dst_reg[0] = HALLMARK_FLOAT(bits);
        }
    });
    end_vectors();
}

// The second tile's data where the first one's have a bit that is 1, and else the third one's: TT-Metalium compares all 32 bits, so
// that -0 chooses the second tile.
template <DataLayout kLayout>
FORCE_INLINE void choose_data(uint32_t condition, uint32_t one, uint32_t other, uint32_t result) {
    begin_vectors(0);
    for_faces(ckernel::VectorMode::RC, [=]() __attribute__((always_inline)) {
        vInt flags = sfpi::dst_reg[condition * kTileStep].mode<kLayout>();
        vInt chosen = sfpi::dst_reg[one * kTileStep].mode<kLayout>();
        v_if(flags == 0) { chosen = vInt(sfpi::dst_reg[other * kTileStep].mode<kLayout>()); }
        v_endif;
        sfpi::dst_reg[result * kTileStep].mode<kLayout>() = chosen;
    });
    end_vectors();
}

FORCE_INLINE void copy_tile_in_dst(uint32_t from, uint32_t to) {
    constexpr DataLayout layout = kWide ? DataLayout::I32 : DataLayout::U16;
    begin_vectors(0);
    for_faces(ckernel::VectorMode::RC, [=]() __attribute__((always_inline)) {
        sfpi::dst_reg[to * kTileStep].mode<layout>() = vInt(sfpi::dst_reg[from * kTileStep].mode<layout>());
    });
    end_vectors();
}

}  // namespace hallmark

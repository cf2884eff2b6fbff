// Functions of vectors.
#pragma once

#include <utility>

#include "vector/registers.h"

namespace sfpi {

// Tells the vendor's compiler that code needs all vector registers.
struct lreg_pressure {};

// --- The parts of a float ------------------------------------------------------------------------------------------------

enum class ExponentMode { Unbiased, Biased, Debias = Unbiased, NoDebias = Biased };
enum class MantissaMode { FractionOnly, WithUnitBit, NoImplicitOne = FractionOnly, ImplicitOne = WithUnitBit };

sfpi_inline vInt exexp(const vFloat& value, ExponentMode mode = ExponentMode::Unbiased) {
    return impl_::unary<0x77>(
        value.get(), mode == ExponentMode::Unbiased ? SFPEXEXP_MOD1_DEBIAS : SFPEXEXP_MOD1_NODEBIAS);
}
sfpi_inline vInt exexp_nodebias(const vFloat& value) { return exexp(value, ExponentMode::Biased); }
sfpi_inline vMag exman(const vFloat& value, MantissaMode mode = MantissaMode::FractionOnly) {
    return vMag(impl_::unary<0x78>(
        value.get(), mode == MantissaMode::FractionOnly ? SFPEXMAN_MOD1_PAD9 : SFPEXMAN_MOD1_PAD8));
}
sfpi_inline vInt exman8(const vFloat& value) { return exman(value, MantissaMode::WithUnitBit); }
sfpi_inline vInt exman9(const vFloat& value) { return exman(value); }
template <typename Type, std::enable_if_t<impl_::is_vector<Type>, int> = 0>
sfpi_inline vUInt exsgn(const Type& value) {
    return as<vUInt>(value) >> 31;
}

sfpi_inline vFloat setexp(const vFloat& value, const vInt& exponent) {
    return impl_::binary<0x82>(exponent.get(), value.get(), 0);
}
sfpi_inline vFloat setexp(const vFloat& value, const vUInt& exponent) { return setexp(value, as<vInt>(exponent)); }
template <typename Number, impl_::if_scalar<Number> = 0>
sfpi_inline vFloat setexp(const vFloat& value, Number exponent) {
    if (!__builtin_constant_p(exponent)) return setexp(value, vInt(exponent));
    return impl_::unary<0x82>(value.get(), 1, static_cast<unsigned>(exponent) & 0xff);
}
sfpi_inline vFloat copyexp(const vFloat& value, const vFloat& exponent) {
    return impl_::binary<0x82>(exponent.get(), value.get(), SFPSETEXP_MOD1_CPY);
}
sfpi_inline vFloat addexp(const vFloat& value, int summand) {
    return impl_::unary<0x76>(value.get(), SFPSDIVP2_MOD1_ADD, static_cast<unsigned>(summand));
}

sfpi_inline vFloat copyman(const vFloat& value, const vFloat& mantissa) {
    return impl_::binary<0x83>(mantissa.get(), value.get(), 0);
}
template <typename Mantissa>
sfpi_inline vFloat setman(const vFloat& value, const Mantissa& mantissa) {
    if constexpr (impl_::is_number<Mantissa>) {
        return impl_::binary<0x83>(impl_::constant(static_cast<std::uint32_t>(mantissa)), value.get(), 0);
    } else {
        return impl_::binary<0x83>(mantissa.get(), value.get(), 0);
    }
}

namespace impl_ {

sfpi_inline sfpu_t set_sign(const sfpu_t& value, int sign) {
    if (!__builtin_constant_p(sign)) return binary<0x89>(constant(static_cast<std::uint32_t>(sign) << 31), value, 0);
    return unary<0x89>(value, 1, static_cast<unsigned>(sign) & 1);
}

// The type of a vector with a sign of its own: bits and two's complement become sign and magnitude.
template <typename Value>
using signed_type = std::conditional_t<
    std::is_base_of_v<vFloat, Value> || std::is_base_of_v<Multiplied, Value>,
    std::conditional_t<std::is_base_of_v<Multiplied, Value>, vFloat, Value>,
    std::conditional_t<std::is_base_of_v<vSMag, Value> || std::is_base_of_v<vInt, Value>, Value, vSMag>>;
// The same of a value's sign that is another's: the vendor's copy of a sign onto an integer is sign and magnitude.
template <typename Value>
using with_sign_type = std::conditional_t<is_whole<Value>, vSMag, signed_type<Value>>;

}  // namespace impl_

template <typename Value, typename Sign, std::enable_if_t<impl_::has_vector<Value> && impl_::has_vector<Sign>, int> = 0>
sfpi_inline impl_::with_sign_type<Value> copysgn(const Value& value, const Sign& sign) {
    return impl_::with_sign_type<Value>(impl_::binary<0x89>(sign.get(), value.get(), 0));
}
template <typename Value, typename Sign, std::enable_if_t<impl_::has_vector<Value>, int> = 0>
sfpi_inline auto setsgn(const Value& value, const Sign& sign) {
    if constexpr (impl_::is_number<Sign>) {
        return impl_::signed_type<Value>(impl_::set_sign(value.get(), static_cast<int>(sign)));
    } else {
        return impl_::signed_type<Value>(copysgn(value, sign).get());
    }
}
// The sign is the lowest bit.
template <typename Value, typename Sign>
sfpi_inline Value setsgn2(const Value& value, const Sign& sign) {
    return copysgn(value, as<vSMag>(as<vUInt>(sign) << 31));
}

sfpi_inline vFloat abs(const vFloat& value) { return impl_::unary<0x7d>(value.get(), SFPABS_MOD1_FLOAT); }
sfpi_inline vMag abs(const vInt& value) { return vMag(impl_::unary<0x7d>(value.get(), SFPABS_MOD1_INT)); }
sfpi_inline vMag abs(const vSMag& value) { return vMag(impl_::set_sign(value.get(), 0)); }

enum class LdexpMode { Correct, Fast };
sfpi_inline vFloat ldexp(const vFloat& value, int exponent, LdexpMode = LdexpMode::Correct) {
    return addexp(value, exponent);
}
sfpi_inline vFloat ldexp(const vFloat& value, const vInt& exponent, LdexpMode mode = LdexpMode::Correct) {
    if (mode == LdexpMode::Fast) return setexp(value, exexp(value, ExponentMode::Biased) + exponent);
    return value * setexp(vFloat(0.0f), exponent + 127);
}

// --- Bits ----------------------------------------------------------------------------------------------------------------

enum class LZMode { All, IgnoreSign };
template <typename Type, std::enable_if_t<impl_::is_vector<Type>, int> = 0>
sfpi_inline vMag lz(const Type& value, LZMode mode = LZMode::All) {
    return vMag(impl_::unary<0x81>(value.get(), mode == LZMode::All ? SFPLZ_MOD1_CC_NONE : SFPLZ_MOD1_NOSGN_CC_NONE));
}
template <typename Type>
sfpi_inline vInt lz_nosgn(const Type& value) {
    return lz(value, LZMode::IgnoreSign);
}

enum class ShiftMode { Logical, Arithmetic };
namespace impl_ {
sfpi_inline constexpr unsigned shift_mode_of(ShiftMode mode) {
    return mode == ShiftMode::Arithmetic ? SFPSHFT_MOD1_ARITHMETIC : SFPSHFT_MOD1_LOGICAL;
}
#ifdef __riscv_xtttensixbh
constexpr ShiftMode USUAL_SHIFT = ShiftMode::Arithmetic;
#else
constexpr ShiftMode USUAL_SHIFT = ShiftMode::Logical;
#endif
}  // namespace impl_
template <typename Amount>
sfpi_inline vUInt shft(const vUInt& value, const Amount& amount, ShiftMode mode = ShiftMode::Logical) {
    if constexpr (impl_::is_number<Amount>) {
        return impl_::shift(value.get(), static_cast<int>(amount), impl_::shift_mode_of(mode));
    } else {
        return impl_::shift(value.get(), amount.get(), impl_::shift_mode_of(mode));
    }
}
template <typename Amount>
sfpi_inline vInt shft(const vInt& value, const Amount& amount, ShiftMode mode = impl_::USUAL_SHIFT) {
    return as<vInt>(shft(as<vUInt>(value), amount, mode));
}

// --- Kinds of floats -----------------------------------------------------------------------------------------------------

sfpi_inline auto is_nan(const vFloat& value) {
    return exexp(value, ExponentMode::Biased) >= 255 && exman(value) != 0;
}
sfpi_inline auto is_inf(const vFloat& value) {
    return exexp(value, ExponentMode::Biased) >= 255 && exman(value) == 0;
}
sfpi_inline auto is_finite(const vFloat& value) { return exexp(value, ExponentMode::Biased) < 255; }
sfpi_inline auto is_normal(const vFloat& value) {
    vInt exponent = exexp(value, ExponentMode::Biased);
    return exponent < 255 && exponent != 0;
}
sfpi_inline auto is_subnormal(const vFloat& value) {
    return exexp(value, ExponentMode::Biased) == 0 && exman(value) != 0;
}
sfpi_inline auto is_zero(const vFloat& value) { return (as<vUInt>(value) << 1) == 0; }
sfpi_inline auto is_pos(const vFloat& value) { return as<vInt>(value) >= 0; }
sfpi_inline auto is_neg(const vFloat& value) { return as<vInt>(value) < 0; }

// --- Order ---------------------------------------------------------------------------------------------------------------

namespace impl_ {

// The type in which two values are compared: an expression's is a float.
template <typename Value>
using ordered_type = std::conditional_t<std::is_base_of_v<vSMag, Value>, Value, vFloat>;
// Floats, or signs with magnitudes; not integers of other kinds.
template <typename One, typename Other>
using if_ordered = std::enable_if_t<
    (is_vector_of_floats<One> && std::is_convertible_v<const Other&, vFloat>) ||
        (std::is_convertible_v<const One&, vFloat> && is_vector_of_floats<Other>) ||
        (std::is_base_of_v<vSMag, One> && std::is_same_v<One, Other>),
    int>;

// Which groups of eight lanes SFPSWAP's first gets the maximum in, by its mode.
constexpr unsigned swap_mode(unsigned maxima) {
    switch (maxima) {
        case 0x0: return SFPSWAP_MOD1_VEC_MIN_MAX;
        case 0xf: return SFPSWAP_MOD1_VEC_MAX_MIN;
        case 0xc: return SFPSWAP_MOD1_SUBVEC_MIN01_MAX23;
        case 0xa: return SFPSWAP_MOD1_SUBVEC_MIN02_MAX13;
        case 0x6: return SFPSWAP_MOD1_SUBVEC_MIN03_MAX12;
        case 0xe: return SFPSWAP_MOD1_SUBVEC_MIN0_MAX123;
        case 0xd: return SFPSWAP_MOD1_SUBVEC_MIN1_MAX023;
        case 0xb: return SFPSWAP_MOD1_SUBVEC_MIN2_MAX013;
        case 0x7: return SFPSWAP_MOD1_SUBVEC_MIN3_MAX012;
        default: return ~0u;
    }
}

}  // namespace impl_

template <typename One, typename Other, impl_::if_ordered<One, Other> = 0>
sfpi_inline std::pair<impl_::ordered_type<One>, impl_::ordered_type<One>> min_max(
    const One& one, const Other& other, std::uint32_t maxima = 0) {
    using Type = impl_::ordered_type<One>;
    Type a = one, b = other;
    double first = impl_::lanes(a.get()), second = impl_::lanes(b.get());
    if (maxima > 0xf) maxima = (maxima & 1) | (maxima >> 7 & 2) | (maxima >> 14 & 4) | (maxima >> 21 & 8);
    if (impl_::swap_mode(maxima) != ~0u) {
        impl_::exchange(first, second, impl_::swap_mode(maxima));
        return {Type(impl_::of_lanes(first)), Type(impl_::of_lanes(second))};
    }
    impl_::exchange(second, first, impl_::swap_mode(maxima ^ 0xf));
    return {Type(impl_::of_lanes(first)), Type(impl_::of_lanes(second))};
}
template <typename One, typename Other, impl_::if_ordered<One, Other> = 0>
sfpi_inline impl_::ordered_type<One> min(const One& one, const Other& other) {
    return min_max(one, other).first;
}
template <typename One, typename Other, impl_::if_ordered<One, Other> = 0>
sfpi_inline impl_::ordered_type<One> max(const One& one, const Other& other) {
    return min_max(one, other).second;
}

// Of unsigned numbers of all 32 bits, with one that is known.
sfpi_inline vUInt min(const vUInt& value, unsigned bound) {
    vInt signed_value = as<vInt>(value);
    vUInt result = value;
    if (static_cast<int>(bound) >= 0) {
        v_if(signed_value < 0 || signed_value - static_cast<int>(bound) >= 0) { result = bound; }
        v_endif;
    } else {
        v_if(signed_value < 0 && signed_value - static_cast<int>(bound) >= 0) { result = bound; }
        v_endif;
    }
    return result;
}
sfpi_inline vUInt max(const vUInt& value, unsigned bound) {
    vInt signed_value = as<vInt>(value);
    vUInt result = value;
    if (static_cast<int>(bound) >= 0) {
        v_if(signed_value >= 0 && signed_value - static_cast<int>(bound) < 0) { result = bound; }
        v_endif;
    } else {
        v_if(signed_value >= 0 || signed_value - static_cast<int>(bound) < 0) { result = bound; }
        v_endif;
    }
    return result;
}
sfpi_inline vUInt clamp(const vUInt& value, unsigned lower, unsigned upper) { return min(max(value, lower), upper); }
template <typename Value, typename Lower, typename Upper, impl_::if_ordered<Value, Lower> = 0>
sfpi_inline impl_::ordered_type<Value> clamp(const Value& value, const Lower& lower, const Upper& upper) {
    return min(max(value, lower), upper);
}
sfpi_inline vFloat symmetric_clamp(const vFloat& value, float bound) {
    return copysgn(min(abs(value), bound), value);
}

template <typename Type, std::enable_if_t<impl_::is_vector<Type>, int> = 0>
sfpi_inline void swap(Type& a, Type& b) {
    impl_::exchange(a.changed(), b.changed(), SFPSWAP_MOD1_SWAP);
}
template <typename Type>
sfpi_inline void vec_swap(Type& a, Type& b) {
    swap(a, b);
}
template <typename Type>
sfpi_inline void vec_min_max(Type& a, Type& b) {
    impl_::exchange(a.changed(), b.changed(), SFPSWAP_MOD1_VEC_MIN_MAX);
}

// --- Conversions ---------------------------------------------------------------------------------------------------------

enum class RoundMode { Nearest, NearestEven = Nearest, NearestAway = Nearest, NearestStochastic, Stochastic = NearestStochastic, Zero };

namespace impl_ {

sfpi_inline constexpr unsigned rounding(RoundMode mode) {
    return mode == RoundMode::Nearest ? SFPSTOCHRND_RND_EVEN
                                      : mode == RoundMode::Zero ? SFPSTOCHRND_RND_ZERO : SFPSTOCHRND_RND_STOCH;
}
sfpi_inline sfpu_t rounded(const sfpu_t& value, unsigned mode, RoundMode rounding_mode, unsigned scale = 0) {
    return unary<0x8e>(value, mode, rounding(rounding_mode) << 9 | scale << 4);
}
sfpi_inline sfpu_t float_of_magnitude(const sfpu_t& value, RoundMode mode) {
    return unary<0x90>(
        value, mode == RoundMode::Nearest ? SFPCAST_MOD1_SM32_TO_FP32_RNE : SFPCAST_MOD1_SM32_TO_FP32_RNS);
}

template <typename To>
constexpr unsigned rounding_to() {
    if constexpr (std::is_same_v<To, vFloat16a>) {
        return SFPSTOCHRND_MOD1_FP32_TO_FP16A;
    } else if constexpr (std::is_same_v<To, vFloat16b>) {
        return SFPSTOCHRND_MOD1_FP32_TO_FP16B;
    } else if constexpr (std::is_same_v<To, vSMag16>) {
        return SFPSTOCHRND_MOD1_FP32_TO_SMAG16;
    } else if constexpr (std::is_same_v<To, vUInt16>) {
        return SFPSTOCHRND_MOD1_FP32_TO_UINT16;
    } else if constexpr (std::is_same_v<To, vSMag8>) {
        return SFPSTOCHRND_MOD1_FP32_TO_SMAG8;
    } else {
        // The chips round floats to none of the types of 32 bits, for which the type is none.
        return std::enable_if_t<std::is_same_v<To, vUInt8>, unsigned>{SFPSTOCHRND_MOD1_FP32_TO_UINT8};
    }
}

template <typename From>
using converted_from = std::conditional_t<std::is_base_of_v<Multiplied, From>, vFloat, From>;

}  // namespace impl_

template <typename To, typename Value, std::enable_if_t<impl_::has_vector<Value>, int> = 0>
sfpi_inline To convert(const Value& value, RoundMode mode = RoundMode::NearestStochastic) {
    using From = impl_::converted_from<Value>;
    if constexpr (std::is_same_v<From, To>) {
        return From(value);
    } else if constexpr (std::is_base_of_v<vFloat, From>) {
        if constexpr (std::is_same_v<To, vFloat>) {
            return value;
        } else {
            return To(impl_::rounded(value.get(), impl_::rounding_to<To>(), mode));
        }
    } else if constexpr (std::is_base_of_v<vSMag, From>) {
        if constexpr (std::is_base_of_v<vFloat, To>) {
            return convert<To>(vFloat(impl_::float_of_magnitude(value.get(), mode)), mode);
        } else if constexpr (std::is_base_of_v<vInt, To>) {
            return To(impl_::whole_of_magnitude(value.get()));
        } else {
            return To(value.get());
        }
    } else if constexpr (std::is_base_of_v<vInt, From>) {
        if constexpr (std::is_base_of_v<vSMag, To>) {
            return To(impl_::magnitude_of_whole(value.get()));
        } else {
            return convert<To>(vSMag(impl_::magnitude_of_whole(value.get())), mode);
        }
    } else {
        // Magnitudes.
        if constexpr (std::is_base_of_v<vInt, To>) {
            return To(value.get());
        } else {
            return convert<To>(vSMag(value.get()), mode);
        }
    }
}

template <typename Value>
sfpi_inline vFloat int32_to_float(const Value& value, RoundMode mode = RoundMode::NearestStochastic) {
    return impl_::float_of_magnitude(value.get(), mode);
}
sfpi_inline vFloat float_to_fp16a(const vFloat& value, RoundMode mode = RoundMode::NearestStochastic) {
    return convert<vFloat16a>(value, mode);
}
sfpi_inline vFloat float_to_fp16b(const vFloat& value, RoundMode mode = RoundMode::NearestStochastic) {
    return convert<vFloat16b>(value, mode);
}
sfpi_inline vUInt float_to_uint16(const vFloat& value, RoundMode mode = RoundMode::NearestStochastic) {
    return convert<vUInt16>(value, mode);
}
sfpi_inline vInt float_to_int16(const vFloat& value, RoundMode mode = RoundMode::NearestStochastic) {
    return convert<vSMag16>(value, mode).get();
}
sfpi_inline vUInt float_to_uint8(const vFloat& value, RoundMode mode = RoundMode::NearestStochastic) {
    return convert<vUInt8>(value, mode);
}
sfpi_inline vInt float_to_int8(const vFloat& value, RoundMode mode = RoundMode::NearestStochastic) {
    return convert<vSMag8>(value, mode).get();
}
sfpi_inline vUInt int32_to_uint8(const vInt& value, unsigned scale, RoundMode mode = RoundMode::NearestStochastic) {
    return impl_::rounded(value.get(), SFPSTOCHRND_MOD1_INT32_TO_UINT8 | SFPSTOCHRND_MOD1_IMM8, mode, scale);
}
sfpi_inline vInt int32_to_int8(const vInt& value, unsigned scale, RoundMode mode = RoundMode::NearestStochastic) {
    return impl_::rounded(value.get(), SFPSTOCHRND_MOD1_INT32_TO_INT8 | SFPSTOCHRND_MOD1_IMM8, mode, scale);
}

namespace impl_ {
struct Rounded : std::pair<vFloat, vInt> {
    using pair::pair;
    sfpi_inline operator vFloat() const { return first; }
    sfpi_inline operator vInt() const { return second; }
};
}  // namespace impl_
// To the nearest whole number, of magnitudes below 2^22: the sum's mantissa has no place for a fraction.
sfpi_inline impl_::Rounded round(const vFloat& value) {
    vFloat offset = 0x1.8p23f;
    vFloat sum = value + offset;
    return {vFloat(sum - offset), as<vInt>(sum) - as<vInt>(offset)};
}

// --- Tables --------------------------------------------------------------------------------------------------------------

enum class LutSign { Update, Retain };

namespace impl_ {

// A coefficient of SFPLUT, of 8 bits (SFPLUT.md): a sign, three bits of an exponent that counts down from 127, a mantissa
// of four bits. All ones are zero.
sfpi_inline std::uint32_t coefficient_of_8_bits(float value) {
    const std::uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffff) == 0) return 0xff;
    const std::uint32_t rounded = (bits & 0x7fffffff) + 0x40000;
    return bits >> 31 << 7 | ((127 - (rounded >> 23)) & 7) << 4 | (rounded >> 19 & 15);
}
// Of 16 bits (SFPLUTFP32.md): a sign, an exponent of five bits from 112, a mantissa of ten. The highest exponent is zero.
sfpi_inline std::uint32_t coefficient_of_16_bits(float value) {
    const std::uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffff) == 0) return bits >> 31 << 15 | 0x7c00;
    const std::uint32_t rounded = (bits & 0x7fffffff) + 0x1000;
    return bits >> 31 << 15 | ((rounded >> 23) - 112) << 10 | (rounded >> 13 & 0x3ff);
}

constexpr unsigned sign_mode(LutSign sign) {
    return sign == LutSign::Retain ? SFPLUT_MOD0_SGN_RETAIN : SFPLUT_MOD0_SGN_UPDATE;
}

}  // namespace impl_

// Two coefficients in a vector: a slope and an intercept of 8 bits, two slopes or two intercepts of 16 bits.
#define HALLMARK_COEFFICIENTS(name, pattern)                                                                   \
    class name : public vUInt {                                                                                \
    public:                                                                                                    \
        sfpi_inline name() = default;                                                                          \
        sfpi_inline name(const name&) = default;                                                               \
        sfpi_inline name& operator=(const name&) = default;                                                    \
        sfpi_inline explicit name(impl_::sfpu_t value) : vUInt(value) {}                                       \
        sfpi_inline name(float first, float second) : vUInt(static_cast<std::uint32_t>(pattern)) {}            \
    };
HALLMARK_COEFFICIENTS(vLut8si, impl_::coefficient_of_8_bits(first) << 8 | impl_::coefficient_of_8_bits(second))
HALLMARK_COEFFICIENTS(vLut16ss, impl_::coefficient_of_16_bits(second) << 16 | impl_::coefficient_of_16_bits(first))
HALLMARK_COEFFICIENTS(vLut16ii, impl_::coefficient_of_16_bits(second) << 16 | impl_::coefficient_of_16_bits(first))
#undef HALLMARK_COEFFICIENTS

sfpi_inline vFloat lut(
    const vFloat& x, const vUInt& first, const vUInt& second, const vUInt& third, LutSign sign = LutSign::Retain) {
    return impl_::table_of_three(first.get(), second.get(), third.get(), x.get(), impl_::sign_mode(sign));
}
sfpi_inline vFloat lut(
    const vFloat& x,
    const vLut16ss& slopes01,
    const vLut16ii& intercepts01,
    const vLut16ss& slopes23,
    const vLut16ii& intercepts23,
    const vLut16ss& slopes45,
    const vLut16ii& intercepts45,
    LutSign sign = LutSign::Retain) {
    return impl_::table_of_six(
        slopes01.get(), slopes23.get(), slopes45.get(), intercepts01.get(), intercepts23.get(), intercepts45.get(),
        x.get(), SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE1 | impl_::sign_mode(sign));
}
sfpi_inline vFloat lut_sign(const vFloat& x, const vUInt& first, const vUInt& second, const vUInt& third) {
    return lut(x, first, second, third, LutSign::Update);
}
#define HALLMARK_OLD_TABLE(name, sign)                                                                              \
    sfpi_inline vFloat name(                                                                                        \
        const vFloat& x, const vUInt& slopes01, const vUInt& slopes23, const vUInt& slopes45,                       \
        const vUInt& intercepts01, const vUInt& intercepts23, const vUInt& intercepts45, int mode = 1) {            \
        return impl_::table_of_six(                                                                                 \
            slopes01.get(), slopes23.get(), slopes45.get(), intercepts01.get(), intercepts23.get(),                 \
            intercepts45.get(), x.get(),                                                                            \
            (mode == 1 ? SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE1 : SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE2) | sign);          \
    }                                                                                                               \
    sfpi_inline vFloat name(                                                                                        \
        const vFloat& x, const vFloat& slope0, const vFloat& slope1, const vFloat& slope2, const vFloat& intercept0, \
        const vFloat& intercept1, const vFloat& intercept2) {                                                       \
        return impl_::table_of_six(                                                                                 \
            slope0.get(), slope1.get(), slope2.get(), intercept0.get(), intercept1.get(), intercept2.get(),         \
            x.get(), SFPLUTFP32_MOD0_FP32_3ENTRY_TABLE | sign);                                                     \
    }
HALLMARK_OLD_TABLE(lut2, SFPLUTFP32_MOD0_SGN_RETAIN)
HALLMARK_OLD_TABLE(lut2_sign, SFPLUTFP32_MOD0_SGN_UPDATE)
#undef HALLMARK_OLD_TABLE

// --- Lanes among each other ----------------------------------------------------------------------------------------------

template <typename Type>
sfpi_inline void subvec_transp(Type& a, Type& b, Type& c, Type& d) {
    impl_::transpose(a.variable(), b.variable(), c.variable(), d.variable());
}
sfpi_inline impl_::sfpu_t subvec_shflror1(const impl_::vVal& value) {
    return impl_::moved_lanes(value.get(), SFPSHFT2_MOD1_SUBVEC_SHFLROR1);
}
sfpi_inline impl_::sfpu_t subvec_shflshr1(const impl_::vVal& value) {
    return impl_::moved_lanes(value.get(), SFPSHFT2_MOD1_SUBVEC_SHFLSHR1);
}

// --- Blackhole's alone ---------------------------------------------------------------------------------------------------

#ifdef __riscv_xtttensixbh
enum class FractionalHalf { Low, High };
template <typename One, typename Other>
sfpi_inline vMag fractional_mul(const One& one, const Other& other, FractionalHalf half = FractionalHalf::Low) {
    return vMag(impl_::three_sources(
        impl_::MUL24, one.get(), other.get(), impl_::constant_register(CREG_IDX_0),
        half == FractionalHalf::Low ? SFPMUL24_MOD1_LOWER : SFPMUL24_MOD1_UPPER));
}
enum class RecipMode { All, IfNegative };
sfpi_inline vFloat approx_recip(const vFloat& value, RecipMode mode = RecipMode::All) {
    return impl_::unary<0x99>(
        value.get(), mode == RecipMode::All ? SFPARECIP_MOD1_RECIP : SFPARECIP_MOD1_COND_RECIP);
}
template <bool kAll>
sfpi_inline vFloat approx_recip(const vFloat& value) {
    return approx_recip(value, kAll ? RecipMode::All : RecipMode::IfNegative);
}
sfpi_inline vFloat approx_exp(const vFloat& value) { return impl_::unary<0x99>(value.get(), SFPARECIP_MOD1_EXP); }
sfpi_inline vInt rand() { return impl_::random_bits(); }
#endif
sfpi_inline vFloat rectified_linear_unit(const vFloat& value) { return max(value, 0.0f); }

// --- Polynomials, from the lowest coefficient ----------------------------------------------------------------------------

sfpi_inline vFloat polynomial(const vFloat&) { return 0.0f; }
template <typename First, typename... Others>
sfpi_inline vFloat polynomial(const vFloat& x, const First& first, const Others&... others) {
    if constexpr (sizeof...(others) == 0) {
        return first;
    } else {
        return x * polynomial(x, others...) + vFloat(first);
    }
}

}  // namespace sfpi

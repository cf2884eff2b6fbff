// In place of the vendor compiler's header of this name: enough of it to read the headers of vector code, which many
// kernels include without a use of it. Each use of a vector, in code that is not dropped, ends the build with the error
// below: vector code itself needs the vendor's compiler.
#pragma once

#include <cstdint>
#include <type_traits>

namespace sfpi {

// Encodings of operands of the vector unit's instructions (TensixCoprocessor/SFP*.md).
constexpr unsigned SFPLOADI_MOD0_FLOATB = 0, SFPLOADI_MOD0_FLOATA = 1, SFPLOADI_MOD0_USHORT = 2,
                   SFPLOADI_MOD0_SHORT = 4, SFPLOADI_MOD0_UPPER = 8, SFPLOADI_MOD0_LOWER = 10;
constexpr unsigned SFPLOAD_MOD0_FMT_SRCB = 0, SFPLOAD_MOD0_FMT_FP16B = 2;
constexpr unsigned SFPSTORE_MOD0_FMT_SRCB = 0, SFPSTORE_MOD0_FMT_FP16B = 2;
constexpr unsigned SFPMAD_MOD1_OFFSET_NONE = 0;
constexpr unsigned SFPIADD_MOD1_ARG_LREG_DST = 0, SFPIADD_MOD1_ARG_IMM = 1, SFPIADD_MOD1_ARG_2SCOMP_LREG_DST = 2,
                   SFPIADD_MOD1_CC_LT0 = 0, SFPIADD_MOD1_CC_NONE = 4, SFPIADD_MOD1_CC_GTE0 = 8;
constexpr unsigned SFPSETCC_MOD1_LREG_LT0 = 0, SFPSETCC_MOD1_LREG_NE0 = 2, SFPSETCC_MOD1_LREG_GTE0 = 4,
                   SFPSETCC_MOD1_LREG_EQ0 = 6;
constexpr unsigned SFPEXEXP_MOD1_SET_CC_SGN_EXP = 2, SFPEXEXP_MOD1_SET_CC_COMP_EXP = 8;
constexpr unsigned SFPEXMAN_MOD1_PAD9 = 1;
constexpr unsigned SFPABS_MOD1_INT = 0, SFPABS_MOD1_FLOAT = 1;
constexpr unsigned SFPLZ_MOD1_CC_NONE = 0, SFPLZ_MOD1_CC_NE0 = 2;
constexpr unsigned SFPMOV_MOD1_CONFIG = 8;
constexpr unsigned SFPCAST_MOD1_INT32_TO_FP32_RNE = 0, SFPCAST_MOD1_SM32_TO_FP32_RNE = 0;
constexpr unsigned SFPSWAP_MOD1_SWAP = 0, SFPSWAP_MOD1_VEC_MIN_MAX = 1;
constexpr unsigned SFPSHFT2_MOD1_SUBVEC_SHFLROR1 = 3, SFPSHFT2_MOD1_SUBVEC_SHFLSHR1 = 4, SFPSHFT2_MOD1_SHFT_LREG = 5,
                   SFPSHFT2_MOD1_SHFT_IMM = 6;
constexpr unsigned SFPSTOCHRND_RND_EVEN = 0, SFPSTOCHRND_MOD1_FP32_TO_FP16A = 0, SFPSTOCHRND_MOD1_FP32_TO_FP16B = 1,
                   SFPSTOCHRND_MOD1_FP32_TO_UINT8 = 2, SFPSTOCHRND_MOD1_FP32_TO_INT8 = 3,
                   SFPSTOCHRND_MOD1_FP32_TO_UINT16 = 6, SFPSTOCHRND_MOD1_FP32_TO_INT16 = 7;
constexpr unsigned SFPENCC_IMM12_BOTH = 3, SFPENCC_MOD1_EU_R1 = 2, SFPENCC_MOD1_EI_RI = 10;
constexpr unsigned SFPMUL24_MOD1_LOWER = 0, SFPMUL24_MOD1_UPPER = 1;
constexpr unsigned SFPARECIP_MOD1_RECIP = 0;
constexpr int SFP_DESTREG_STRIDE = 2;

// Modes that functions take. Their numbers mean nothing.
enum class RoundMode { Nearest, NearestEven, NearestAway, NearestStochastic };
enum class DataLayout { Default, None, FSrcB, F32, F16a, F16b, I32, U32, U16, U8, SM32, SM16, SM8, M32 };
enum class ExponentMode { Biased, Unbiased };
enum class MantissaMode { ImplicitOne, NoImplicitOne };
enum class ShiftMode { Logical, Arithmetic };
enum class LutSign { Update, Retain };
enum class FractionalHalf { Low, High };
enum class LRegs { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7 };

// A call of it is a use of vectors.
[[gnu::error("vector code of the SFPU needs the vendor's compiler")]] void needs_the_vendors_compiler();

struct Vector {};

template <typename Value>
constexpr bool is_vector = std::is_base_of_v<Vector, std::remove_cv_t<std::remove_reference_t<Value>>>;

// A vector of one type becomes one of any other.
template <typename Self>
struct VectorOf : Vector {
    VectorOf() = default;
    template <typename... Values>
    Self& becomes(Values&&...) {
        needs_the_vendors_compiler();
        return static_cast<Self&>(*this);
    }
    template <typename Value>
    Self& operator+=(Value&& value) { return becomes(value); }
    template <typename Value>
    Self& operator-=(Value&& value) { return becomes(value); }
    template <typename Value>
    Self& operator*=(Value&& value) { return becomes(value); }
    template <typename Value>
    Self& operator/=(Value&& value) { return becomes(value); }
    template <typename Value>
    Self& operator&=(Value&& value) { return becomes(value); }
    template <typename Value>
    Self& operator|=(Value&& value) { return becomes(value); }
    template <typename Value>
    Self& operator^=(Value&& value) { return becomes(value); }
    template <typename Value>
    Self& operator<<=(Value&& value) { return becomes(value); }
    template <typename Value>
    Self& operator>>=(Value&& value) { return becomes(value); }
    Self& operator++() { return becomes(); }
    Self& operator--() { return becomes(); }
    Self operator++(int) { return becomes(); }
    Self operator--(int) { return becomes(); }
    template <typename... Values>
    Self mode(Values&&...) const {
        needs_the_vendors_compiler();
        return Self();
    }
    template <auto...>
    Self mode() const { return mode(0); }
    template <typename... Values>
    Self in_use(Values&&...) const { return mode(0); }
    template <typename... Values>
    Self get(Values&&...) const { return mode(0); }
};

#define HALLMARK_VECTOR(name)                                                    \
    struct name : VectorOf<name> {                                               \
        name() = default;                                                        \
        name(const name&) = default;                                             \
        template <typename First, typename... Values>                            \
        name(const First&, const Values&...) { needs_the_vendors_compiler(); }   \
        name& operator=(const name&) = default;                                  \
        template <typename Value>                                                \
        name& operator=(const Value& value) { return this->becomes(value); }     \
    };
HALLMARK_VECTOR(Any)
HALLMARK_VECTOR(vFloat)
HALLMARK_VECTOR(vFloat16a)
HALLMARK_VECTOR(vFloat16b)
HALLMARK_VECTOR(sFloat16a)
HALLMARK_VECTOR(sFloat16b)
HALLMARK_VECTOR(vInt)
HALLMARK_VECTOR(vUInt)
HALLMARK_VECTOR(vUInt8)
HALLMARK_VECTOR(vUInt16)
HALLMARK_VECTOR(vInt8)
HALLMARK_VECTOR(vInt16)
HALLMARK_VECTOR(vMag)
HALLMARK_VECTOR(vSMag)
HALLMARK_VECTOR(vSMag8)
HALLMARK_VECTOR(vSMag16)
HALLMARK_VECTOR(vBool)
HALLMARK_VECTOR(vLut8si)
HALLMARK_VECTOR(vLut16ss)
HALLMARK_VECTOR(vLut16ii)
#undef HALLMARK_VECTOR

template <typename... Values>
Any any(const Values&...) {
    needs_the_vendors_compiler();
    return Any();
}

// The first vector among some types, or else Any.
template <typename... Values>
struct VectorAmong;
template <>
struct VectorAmong<> {
    using Type = Any;
};
template <typename First, typename... Others>
struct VectorAmong<First, Others...> {
    using Type = std::conditional_t<is_vector<First>, First, typename VectorAmong<Others...>::Type>;
};
template <typename... Values>
using vector_among = typename VectorAmong<Values...>::Type;

#define HALLMARK_OPERATOR(op)                                                                              \
    template <typename One, typename Other, std::enable_if_t<is_vector<One> || is_vector<Other>, int> = 0> \
    vector_among<One, Other> operator op(const One& one, const Other& other) { return any(one, other); }
HALLMARK_OPERATOR(+)
HALLMARK_OPERATOR(-)
HALLMARK_OPERATOR(*)
HALLMARK_OPERATOR(/)
HALLMARK_OPERATOR(&)
HALLMARK_OPERATOR(|)
HALLMARK_OPERATOR(^)
HALLMARK_OPERATOR(<<)
HALLMARK_OPERATOR(>>)
HALLMARK_OPERATOR(<)
HALLMARK_OPERATOR(<=)
HALLMARK_OPERATOR(>)
HALLMARK_OPERATOR(>=)
HALLMARK_OPERATOR(==)
HALLMARK_OPERATOR(!=)
HALLMARK_OPERATOR(&&)
HALLMARK_OPERATOR(||)
#undef HALLMARK_OPERATOR
template <typename One, std::enable_if_t<is_vector<One>, int> = 0>
One operator-(const One& one) { return any(one); }
template <typename One, std::enable_if_t<is_vector<One>, int> = 0>
One operator~(const One& one) { return any(one); }
template <typename One, std::enable_if_t<is_vector<One>, int> = 0>
One operator!(const One& one) { return any(one); }

// Functions of vectors, with any template arguments.
#define HALLMARK_FUNCTION(name)                                                            \
    template <typename... Values>                                                          \
    vector_among<Values...> name(const Values&... values) { return any(values...); }       \
    template <auto, auto..., typename... Values>                                           \
    vector_among<Values...> name(const Values&... values) { return any(values...); }       \
    template <typename First, auto, auto..., typename... Values>                           \
    vector_among<First, Values...> name(const Values&... values) { return any(values...); }
HALLMARK_FUNCTION(abs)
HALLMARK_FUNCTION(addexp)
HALLMARK_FUNCTION(approx_exp)
HALLMARK_FUNCTION(approx_recip)
HALLMARK_FUNCTION(clamp)
HALLMARK_FUNCTION(convert)
HALLMARK_FUNCTION(copyexp)
HALLMARK_FUNCTION(copyman)
HALLMARK_FUNCTION(copysgn)
HALLMARK_FUNCTION(exexp)
HALLMARK_FUNCTION(exman)
HALLMARK_FUNCTION(exman8)
HALLMARK_FUNCTION(exman9)
HALLMARK_FUNCTION(fractional_mul)
HALLMARK_FUNCTION(is_finite)
HALLMARK_FUNCTION(is_inf)
HALLMARK_FUNCTION(is_nan)
HALLMARK_FUNCTION(is_neg)
HALLMARK_FUNCTION(is_pos)
HALLMARK_FUNCTION(lut)
HALLMARK_FUNCTION(lz)
HALLMARK_FUNCTION(max)
HALLMARK_FUNCTION(min)
HALLMARK_FUNCTION(min_max)
HALLMARK_FUNCTION(nearby)
HALLMARK_FUNCTION(setexp)
HALLMARK_FUNCTION(setman)
HALLMARK_FUNCTION(setsgn)
HALLMARK_FUNCTION(setsgn2)
HALLMARK_FUNCTION(shft)
HALLMARK_FUNCTION(subvec_shflror1)
HALLMARK_FUNCTION(subvec_shflshr1)
HALLMARK_FUNCTION(subvec_transp)
HALLMARK_FUNCTION(symmetric_clamp)
HALLMARK_FUNCTION(vec_min_max)
HALLMARK_FUNCTION(vec_swap)
#undef HALLMARK_FUNCTION

template <typename Vector, typename... Values>
Vector as(const Values&... values) {
    return Vector(any(values...));
}

// Says that code needs many vector registers.
struct lreg_pressure {};

// Rows of Dst and the vector registers, by an index.
struct Registers {
    template <typename Index>
    Any& operator[](const Index&) const {
        needs_the_vendors_compiler();
        static Any* none;
        return *none;
    }
    Registers& operator++() {
        needs_the_vendors_compiler();
        return *this;
    }
    void operator++(int) { needs_the_vendors_compiler(); }
    template <typename Value>
    void operator+=(const Value&) { needs_the_vendors_compiler(); }
};
inline Registers dst_reg, l_reg;

// Constants of the vector unit.
inline Any vConstTileId, vConst0, vConst1, vConstNeg1, vConst0p8373, vConstFloatPrgm0, vConstFloatPrgm1, vConstFloatPrgm2,
    vConstIntPrgm0, vConstIntPrgm1, vConstIntPrgm2;

template <typename Condition>
bool condition(const Condition&) {
    needs_the_vendors_compiler();
    return false;
}

}  // namespace sfpi

#define __builtin_rvtt_sfpmad(...) ::sfpi::any(__VA_ARGS__)
#define __builtin_rvtt_sfpgt(...) ::sfpi::any(__VA_ARGS__)

#define sfpi_inline __attribute__((always_inline)) inline
#define v_if(...) { if (::sfpi::condition(__VA_ARGS__))
#define v_elseif(...) else if (::sfpi::condition(__VA_ARGS__))
#define v_else else
#define v_endif }
#define v_and(...) ::sfpi::condition(__VA_ARGS__)
#define v_block {
#define v_endblock }

// Vectors by the types of their elements, and arithmetic.
#pragma once

#include <type_traits>

#include "vector/instructions.h"

namespace sfpi {

namespace impl_ {

// A vector of any type. Assignment changes the enabled lanes alone.
class vVal {
    sfpu_t value;

public:
    sfpi_inline vVal() { value.form = WITHOUT_VALUE; }
    sfpi_inline vVal(sfpu_t from) : value(from) {}
    sfpi_inline vVal(const vVal&) = default;
    sfpi_inline vVal& operator=(const vVal& from) {
        assign(value, from.value);
        return *this;
    }
    sfpi_inline sfpu_t get() const { return value; }
    // The variable itself, for an instruction that changes its enabled lanes.
    sfpi_inline sfpu_t& variable() { return value; }
    // The variable in a register, for an instruction whose destination is a source.
    sfpi_inline double& changed() {
        value.lanes = kept_lanes(value);
        value.form = LANES;
        return value.lanes;
    }
};

template <typename Value>
constexpr bool is_vector = std::is_base_of_v<vVal, Value>;

// A register that holds a constant is used as a vector of the type.
template <typename Type, unsigned kNumber>
class ConstantRegister;
template <typename Value>
struct Used {
    using Type = Value;
};
template <typename Value, unsigned kNumber>
struct Used<ConstantRegister<Value, kNumber>> {
    using Type = Value;
};

template <typename Value>
using if_scalar = std::enable_if_t<std::is_integral_v<Value>, int>;

sfpi_inline std::uint32_t bits_of(float value) { return __builtin_bit_cast(std::uint32_t, value); }

}  // namespace impl_

// A product, a sum or both that is not computed yet: a product that a sum follows is one instruction with one rounding.
struct Multiplied {
    impl_::sfpu_t a, b, c;
    unsigned opcode, mode;
    sfpi_inline impl_::sfpu_t get() const { return impl_::three_sources(opcode, a, b, c, mode); }
};
struct Product : Multiplied {};

// Scalars of 16 bits, by their patterns.
class sFloat16a {
    std::uint16_t pattern;

public:
    template <typename Value, impl_::if_scalar<Value> = 0>
    sfpi_inline explicit sFloat16a(Value bits) : pattern(static_cast<std::uint16_t>(bits)) {}
    sfpi_inline std::uint32_t get() const { return pattern; }
};
class sFloat16b {
    std::uint16_t pattern;

public:
    sfpi_inline explicit sFloat16b(float value) : pattern(static_cast<std::uint16_t>(impl_::bits_of(value) >> 16)) {}
    sfpi_inline explicit sFloat16b(double value) : sFloat16b(static_cast<float>(value)) {}
    template <typename Value, impl_::if_scalar<Value> = 0>
    sfpi_inline explicit sFloat16b(Value bits) : pattern(static_cast<std::uint16_t>(bits)) {}
    sfpi_inline std::uint32_t get() const { return pattern; }
};
using s2vFloat16a = sFloat16a;
using s2vFloat16b = sFloat16b;

// --- Floats --------------------------------------------------------------------------------------------------------------

class vFloat : public impl_::vVal {
public:
    sfpi_inline vFloat() = default;
    sfpi_inline vFloat(const vFloat&) = default;
    sfpi_inline vFloat& operator=(const vFloat&) = default;
    sfpi_inline vFloat(impl_::sfpu_t value) : vVal(value) {}
    sfpi_inline vFloat(float value) : vVal(impl_::constant(impl_::bits_of(value))) {}
    sfpi_inline vFloat(sFloat16b value) : vVal(impl_::constant(value.get() << 16)) {}
    // SFPLOADI.md: the exponent is moved, and infinities and NaN are not told apart.
    sfpi_inline vFloat(sFloat16a value)
        : vVal(impl_::constant((value.get() & 0x8000) << 16 | ((value.get() & 0x7fff) + (112 << 10)) << 13)) {}
    sfpi_inline vFloat(const Multiplied& value) : vVal(value.get()) {}
    sfpi_inline vFloat& operator=(const Multiplied& value) {
        impl_::three_sources_into(variable(), value.opcode, value.a, value.b, value.c, value.mode);
        return *this;
    }
    template <typename Value>
    sfpi_inline vFloat& operator+=(const Value& value) {
        if constexpr (std::is_arithmetic_v<Value>) {
            vFloat summand = static_cast<float>(value);
            if (impl_::is_upper_half(summand.get())) {
                impl_::upper_half_into(changed(), impl_::ADDI, summand.get().bits);
                return *this;
            }
        }
        return *this = *this + value;
    }
    template <typename Value>
    sfpi_inline vFloat& operator-=(const Value& value) {
        if constexpr (std::is_arithmetic_v<Value>) return *this += -static_cast<float>(value);
        return *this = *this - value;
    }
    template <typename Value>
    sfpi_inline vFloat& operator*=(const Value& value) {
        if constexpr (std::is_arithmetic_v<Value>) {
            vFloat factor = static_cast<float>(value);
            if (impl_::is_upper_half(factor.get())) {
                impl_::upper_half_into(changed(), impl_::MULI, factor.get().bits);
                return *this;
            }
        }
        return *this = *this * value;
    }
    sfpi_inline vFloat& operator++() { return *this += 1.0f; }
    sfpi_inline vFloat& operator--() { return *this -= 1.0f; }
    sfpi_inline vFloat operator++(int) {
        vFloat before = *this;
        *this += 1.0f;
        return before;
    }
    sfpi_inline vFloat operator--(int) {
        vFloat before = *this;
        *this -= 1.0f;
        return before;
    }
};

sfpi_inline Product operator*(const vFloat& a, const vFloat& b) {
    return {{a.get(), b.get(), impl_::constant_register(CREG_IDX_0), impl_::MUL, 0}};
}

sfpi_inline Multiplied operator+(const vFloat& a, const vFloat& b) {
    return {impl_::constant_register(CREG_IDX_1), a.get(), b.get(), impl_::ADD, 0};
}
sfpi_inline Multiplied operator+(const Product& product, const vFloat& summand) {
    return {product.a, product.b, summand.get(), impl_::MAD, 0};
}
sfpi_inline Multiplied operator+(const vFloat& summand, const Product& product) {
    return product + summand;
}
sfpi_inline Multiplied operator+(const Product& one, const Product& other) {
    return one + vFloat(other);
}

sfpi_inline vFloat operator+(const vFloat& value) { return value; }
sfpi_inline vFloat operator-(const vFloat& value) { return impl_::negative(value.get()); }
sfpi_inline Product operator-(const Product& product) {
#ifdef __riscv_xtttensixbh
    return {{product.a, product.b, product.c, impl_::MUL, impl_::NEGATE_PRODUCT ^ product.mode}};
#else
    return {{impl_::negative(product.a), product.b, product.c, impl_::MUL, 0}};
#endif
}

sfpi_inline Multiplied operator-(const vFloat& a, const vFloat& b) {
    if (impl_::is_constant(b.get())) return a + vFloat(impl_::negative(b.get()));
#ifdef __riscv_xtttensixbh
    return {impl_::constant_register(CREG_IDX_1), a.get(), b.get(), impl_::ADD, impl_::NEGATE_SUMMAND};
#else
    return {impl_::constant_register(CREG_IDX_NEG_1), b.get(), a.get(), impl_::MAD, 0};
#endif
}
sfpi_inline Multiplied operator-(const Product& product, const vFloat& subtrahend) {
#ifdef __riscv_xtttensixbh
    return {product.a, product.b, subtrahend.get(), impl_::MAD, product.mode | impl_::NEGATE_SUMMAND};
#else
    return product + vFloat(impl_::negative(subtrahend.get()));
#endif
}
sfpi_inline Multiplied operator-(const vFloat& minuend, const Product& product) {
    Product opposite = -product;
    return {opposite.a, opposite.b, minuend.get(), impl_::MAD, opposite.mode};
}
sfpi_inline Multiplied operator-(const Product& one, const Product& other) {
    return one - vFloat(other);
}

// --- Integers ------------------------------------------------------------------------------------------------------------

class vUInt;
class vInt;

namespace impl_ {

// A vector of whole numbers.
template <typename Self>
class Whole : public vVal {
    sfpi_inline Self& self() { return static_cast<Self&>(*this); }

public:
    sfpi_inline Whole() = default;
    sfpi_inline Whole(sfpu_t value) : vVal(value) {}
    sfpi_inline Whole(const Whole&) = default;
    sfpi_inline Whole& operator=(const Whole&) = default;

    sfpi_inline Self& operator+=(const Self& value) {
        sfpu_t added = value.get();
        if (fits_immediate(added)) {
            immediate_into<0x79>(changed(), static_cast<int>(added.bits), SFPIADD_MOD1_CC_NONE | SFPIADD_MOD1_ARG_IMM);
        } else {
            binary_into<0x79>(changed(), lanes(added), SFPIADD_MOD1_CC_NONE);
        }
        return self();
    }
    sfpi_inline Self& operator-=(const Self& value) {
        sfpu_t taken = value.get();
        if (is_constant(taken) && taken.bits != 0x80000000u) return *this += Self(constant(0 - taken.bits));
        vVal::operator=(subtract_integers(get(), taken));
        return self();
    }
    sfpi_inline Self& operator&=(const Self& value) {
        binary_into<0x7e>(changed(), lanes(value.get()), 0);
        return self();
    }
    sfpi_inline Self& operator|=(const Self& value) {
        binary_into<0x7f>(changed(), lanes(value.get()), 0);
        return self();
    }
    sfpi_inline Self& operator^=(const Self& value) {
        binary_into<0x8d>(changed(), lanes(value.get()), 0);
        return self();
    }
    template <typename Amount>
    sfpi_inline Self& operator<<=(const Amount& amount) { return self() = self() << amount; }
    template <typename Amount>
    sfpi_inline Self& operator>>=(const Amount& amount) { return self() = self() >> amount; }
    sfpi_inline Self& operator++() { return *this += Self(1); }
    sfpi_inline Self& operator--() { return *this -= Self(1); }
    sfpi_inline Self operator++(int) {
        Self before = self();
        ++*this;
        return before;
    }
    sfpi_inline Self operator--(int) {
        Self before = self();
        --*this;
        return before;
    }
};

}  // namespace impl_

class vUInt : public impl_::Whole<vUInt> {
public:
    sfpi_inline vUInt() = default;
    sfpi_inline vUInt(const vUInt&) = default;
    sfpi_inline vUInt& operator=(const vUInt&) = default;
    sfpi_inline vUInt(impl_::sfpu_t value) : Whole(value) {}
    sfpi_inline explicit vUInt(const vInt&);
    template <typename Value, impl_::if_scalar<Value> = 0>
    sfpi_inline vUInt(Value value) : Whole(impl_::constant(static_cast<std::uint32_t>(value))) {}
    sfpi_inline operator vInt() const;
};

namespace impl_ {

// A type whose values are some of another's.
template <typename Wide, typename Scalar>
class vNarrow : public Wide {
public:
    sfpi_inline vNarrow() = default;
    sfpi_inline vNarrow(const vNarrow&) = default;
    sfpi_inline vNarrow& operator=(const vNarrow&) = default;
    sfpi_inline explicit vNarrow(sfpu_t value) : Wide(value) {}
    template <typename Value, std::enable_if_t<std::is_constructible_v<Scalar, Value> && !is_vector<Value>, int> = 0>
    sfpi_inline explicit vNarrow(Value value) : Wide(Scalar(value)) {}
    // From a type of more values, which says that they are some of this one's.
    template <typename Value, std::enable_if_t<is_vector<Value> && !std::is_base_of_v<vNarrow, Value>, int> = 0>
    sfpi_inline explicit vNarrow(const Value& value) : Wide(value.get()) {}
};
// No scalar of the type.
struct NoScalar {
    NoScalar() = delete;
};

}  // namespace impl_

using vFloat16a = impl_::vNarrow<vFloat, sFloat16a>;
using vFloat16b = impl_::vNarrow<vFloat, sFloat16b>;
using vMag = impl_::vNarrow<vUInt, std::uint32_t>;
using vUInt16 = impl_::vNarrow<vMag, std::uint16_t>;
using vUInt8 = impl_::vNarrow<vUInt16, std::uint8_t>;

class vInt : public impl_::Whole<vInt> {
public:
    sfpi_inline vInt() = default;
    sfpi_inline vInt(const vInt&) = default;
    sfpi_inline vInt& operator=(const vInt&) = default;
    sfpi_inline vInt(impl_::sfpu_t value) : Whole(value) {}
    sfpi_inline vInt(const vMag& value) : Whole(value.get()) {}
    sfpi_inline vInt(const vUInt16& value) : Whole(value.get()) {}
    sfpi_inline explicit vInt(const vUInt& value) : Whole(value.get()) {}
    template <typename Value, impl_::if_scalar<Value> = 0>
    sfpi_inline vInt(Value value) : Whole(impl_::constant(static_cast<std::uint32_t>(value))) {}
};

vUInt::vUInt(const vInt& value) : Whole(value.get()) {}
vUInt::operator vInt() const { return vInt(get()); }

// Sign and magnitude.
class vSMag : public impl_::vVal {
public:
    sfpi_inline vSMag() = default;
    sfpi_inline vSMag(const vSMag&) = default;
    sfpi_inline vSMag& operator=(const vSMag&) = default;
    sfpi_inline explicit vSMag(impl_::sfpu_t value) : vVal(value) {}
    template <typename Value, impl_::if_scalar<Value> = 0>
    sfpi_inline explicit vSMag(Value value) : vVal(impl_::constant(static_cast<std::uint32_t>(value))) {}
};
using vSMag16 = impl_::vNarrow<vSMag, impl_::NoScalar>;
using vSMag8 = impl_::vNarrow<vSMag16, impl_::NoScalar>;

namespace impl_ {

// The type of two integers' result: one of two's complement if the first is, but bits of both kinds are unsigned.
template <typename Type, typename Value>
constexpr bool is_a = std::is_base_of_v<Type, typename Used<Value>::Type>;
template <typename Value>
using whole_of = std::conditional_t<is_a<vInt, Value>, vInt, vUInt>;
template <typename Value>
constexpr bool is_whole = is_a<vInt, Value> || is_a<vUInt, Value>;
template <typename Value>
constexpr bool is_number = std::is_integral_v<Value>;
template <typename One, typename Other>
constexpr bool are_whole =
    (is_whole<One> && (is_whole<Other> || is_number<Other>)) || (is_number<One> && is_whole<Other>);
// The sum of a signed and a magnitude is signed.
template <typename One, typename Other>
using sum_of = std::conditional_t<
    is_number<One>,
    whole_of<Other>,
    std::conditional_t<
        is_number<Other>,
        whole_of<One>,
        std::conditional_t<
            is_a<vInt, One> || (std::is_same_v<vMag, One> && is_a<vInt, Other>),
            vInt,
            vUInt>>>;
template <typename One, typename Other>
using bits_type = std::conditional_t<
    is_number<One>,
    whole_of<Other>,
    std::conditional_t<
        is_number<Other>,
        std::conditional_t<std::is_same_v<vMag, One>, vMag, whole_of<One>>,
        std::conditional_t<
            is_a<vInt, One> && is_a<vInt, Other>,
            vInt,
            std::conditional_t<std::is_same_v<vMag, One> && std::is_same_v<vMag, Other>, vMag, vUInt>>>>;

template <typename Value>
sfpi_inline sfpu_t whole(const Value& value) {
    if constexpr (is_number<Value>) {
        return constant(static_cast<std::uint32_t>(value));
    } else {
        return value.get();
    }
}
template <typename One, typename Other>
using if_whole = std::enable_if_t<are_whole<One, Other>, int>;

}  // namespace impl_

template <typename One, typename Other, impl_::if_whole<One, Other> = 0>
sfpi_inline impl_::sum_of<One, Other> operator+(const One& one, const Other& other) {
    return impl_::sum_of<One, Other>(impl_::add_integers(impl_::whole(one), impl_::whole(other)));
}
template <typename One, typename Other, impl_::if_whole<One, Other> = 0>
sfpi_inline impl_::sum_of<One, Other> operator-(const One& one, const Other& other) {
    return impl_::sum_of<One, Other>(impl_::subtract_integers(impl_::whole(one), impl_::whole(other)));
}
#define HALLMARK_BITS(op, opcode)                                                                       \
    template <typename One, typename Other, impl_::if_whole<One, Other> = 0>                            \
    sfpi_inline impl_::bits_type<One, Other> operator op(const One& one, const Other& other) {          \
        return impl_::bits_type<One, Other>(                                                            \
            impl_::commutative<opcode>(impl_::whole(one), impl_::whole(other), 0));                        \
    }
HALLMARK_BITS(&, 0x7e)
HALLMARK_BITS(|, 0x7f)
HALLMARK_BITS(^, 0x8d)
#undef HALLMARK_BITS
template <typename Value, impl_::if_scalar<Value> = 0>
sfpi_inline vUInt operator&(const vSMag& one, Value other) {
    return vUInt(impl_::commutative<0x7e>(one.get(), impl_::whole(other), 0));
}

template <typename One, std::enable_if_t<impl_::is_whole<One>, int> = 0>
sfpi_inline impl_::whole_of<One> operator~(const One& one) {
    return impl_::whole_of<One>(impl_::unary<0x80>(one.get(), 0));
}
template <typename One, std::enable_if_t<impl_::is_whole<One>, int> = 0>
sfpi_inline impl_::whole_of<One> operator+(const One& one) { return one; }
template <typename One, std::enable_if_t<impl_::is_whole<One>, int> = 0>
sfpi_inline impl_::whole_of<One> operator-(const One& one) {
    return impl_::whole_of<One>(impl_::subtract_integers(impl_::constant_register(CREG_IDX_0), one.get()));
}

namespace impl_ {

// Blackhole's shifts of signed numbers to the right keep the sign; Wormhole has none, and no operator for them.
template <typename Value>
constexpr unsigned shift_mode() {
#ifdef __riscv_xtttensixbh
    return is_a<vInt, Value> ? SFPSHFT_MOD1_ARITHMETIC : SFPSHFT_MOD1_LOGICAL;
#else
    return SFPSHFT_MOD1_LOGICAL;
#endif
}
template <typename Value>
using shifted = std::conditional_t<std::is_same_v<vMag, Value>, vMag, whole_of<Value>>;

}  // namespace impl_

template <typename One, typename Amount, impl_::if_whole<One, Amount> = 0, std::enable_if_t<impl_::is_whole<One>, int> = 0>
sfpi_inline impl_::whole_of<One> operator<<(const One& one, const Amount& amount) {
    constexpr unsigned mode = impl_::shift_mode<One>();
    if constexpr (impl_::is_number<Amount>) {
        return impl_::whole_of<One>(impl_::shift(one.get(), static_cast<int>(amount), mode));
    } else {
        return impl_::whole_of<One>(impl_::shift(one.get(), amount.get(), mode));
    }
}
template <
    typename One,
    typename Amount,
    impl_::if_whole<One, Amount> = 0,
#ifdef __riscv_xtttensixbh
    std::enable_if_t<impl_::is_whole<One>, int> = 0>
#else
    std::enable_if_t<impl_::is_a<vUInt, One>, int> = 0>
#endif
sfpi_inline impl_::shifted<One> operator>>(const One& one, const Amount& amount) {
    constexpr unsigned mode = impl_::shift_mode<One>();
    if constexpr (impl_::is_number<Amount>) {
        return impl_::shifted<One>(impl_::shift(one.get(), -static_cast<int>(amount), mode));
    } else {
        return impl_::shifted<One>(impl_::shift(one.get(), (-amount).get(), mode));
    }
}

namespace impl_ {
// A vector, a register that holds a constant, or an expression.
template <typename Value>
constexpr bool has_vector = is_vector<typename Used<Value>::Type> || std::is_base_of_v<Multiplied, Value>;
}  // namespace impl_

// The same bits as another type's.
template <typename Type, typename Value, std::enable_if_t<impl_::is_vector<Type>, int> = 0>
sfpi_inline Type as(const Value& value) {
    if constexpr (impl_::has_vector<Value>) {
        return Type(value.get());
    } else {
        return Type(impl_::vVal(value).get());
    }
}
template <typename Type, typename Value, std::enable_if_t<impl_::is_vector<Type>, int> = 0>
sfpi_inline Type reinterpret(const Value& value) {
    return as<Type>(value);
}

}  // namespace sfpi

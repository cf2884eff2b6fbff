// Conditions, and code for some of the lanes.
//
// A condition is an expression that narrows the lane flags where it is used, so that none needs a register. What a
// disjunction needs beside that is an entry on the stack of lane flags, of the same flags as the entry below it.
#pragma once

#include "vector/values.h"

namespace sfpi {

namespace impl_ {

// A condition has the flags that it narrows to. There is no base for all: one inside another would have a place of its
// own, which keeps the compiler from taking conditions apart.
template <typename Type, typename = void>
constexpr bool is_condition = false;
template <typename Type>
constexpr bool is_condition<Type, std::void_t<typename Type::Narrowing>> = true;

// The relation of a vector's bits, as a signed number's, to zero.
struct Sign {
    using Narrowing = void;
    sfpu_t value;
    unsigned mode;
    sfpi_inline Sign(const sfpu_t& value, unsigned mode) : value(value), mode(mode) {}
    sfpi_inline unsigned entries(bool) const { return 0; }
    template <bool kWanted>
    sfpi_inline void narrow() const { narrow_flags(value, kWanted ? mode : mode ^ SFPSETCC_MOD1_LREG_GTE0); }
};

template <typename Inner>
sfpi_inline sfpu_t mask_of(const Inner& condition);

// All of two conditions hold; or, if it is not wanted, one of them does not.
template <typename One, typename Other>
struct Both {
    using Narrowing = void;
    One one;
    Other other;
    sfpi_inline Both(const One& one, const Other& other) : one(one), other(other) {}

    // Both are narrowed to, whether it is wanted or its opposite. A condition with entries is narrowed first, so that an entry has the flags of the one below. If both have entries,
    // the second becomes a vector.
    sfpi_inline unsigned entries(bool wanted) const {
        const unsigned first = one.entries(true), second = other.entries(true);
        return (first != 0 ? first : second) + (wanted ? 0 : 1);
    }
    template <bool kWanted>
    sfpi_inline void narrow() const {
        if (one.entries(true) != 0 && other.entries(true) != 0) {
            Both<One, Sign>(one, Sign(mask_of(other), SFPSETCC_MOD1_LREG_NE0)).template narrow<kWanted>();
            return;
        }
        if (!kWanted) push_flags();
        if (other.entries(true) != 0) {
            other.template narrow<true>();
            one.template narrow<true>();
        } else {
            one.template narrow<true>();
            other.template narrow<true>();
        }
        if (!kWanted) complement_flags();
    }
};

template <typename Inner>
struct Opposite {
    using Narrowing = void;
    Inner inner;
    sfpi_inline explicit Opposite(const Inner& inner) : inner(inner) {}
    sfpi_inline unsigned entries(bool wanted) const { return inner.entries(!wanted); }
    template <bool kWanted>
    sfpi_inline void narrow() const { inner.template narrow<!kWanted>(); }
};

sfpi_inline void pop_flags(unsigned entries) {
    // The stack has eight entries.
    if (entries > 0) pop_flags();
    if (entries > 1) pop_flags();
    if (entries > 2) pop_flags();
    if (entries > 3) pop_flags();
    if (entries > 4) pop_flags();
    if (entries > 5) pop_flags();
    if (entries > 6) pop_flags();
    if (entries > 7) pop_flags();
}

template <typename Inner>
sfpi_inline sfpu_t mask_of(const Inner& condition) {
    double mask = load_constant(0);
    push_flags();
    condition.template narrow<true>();
    load_constant_into(mask, 1);
    pop_flags(condition.entries(true) + 1);
    return of_lanes(mask);
}

}  // namespace impl_

// A condition in a variable: a vector of zeros and ones.
class vBool {
    impl_::sfpu_t mask;

public:
    using Narrowing = void;
    template <typename Inner, std::enable_if_t<impl_::is_condition<Inner> && !std::is_same_v<Inner, vBool>, int> = 0>
    sfpi_inline vBool(const Inner& condition) : mask(impl_::mask_of(condition)) {}
    sfpi_inline vBool(const vInt& value) : mask(value.get()) {}
    sfpi_inline vBool(const vUInt& value) : mask(value.get()) {}
    sfpi_inline vBool(const vBool&) = default;
    sfpi_inline vBool& operator=(const vBool& from) {
        impl_::assign(mask, from.mask);
        return *this;
    }
    sfpi_inline unsigned entries(bool) const { return 0; }
    template <bool kWanted>
    sfpi_inline void narrow() const {
        impl_::narrow_flags(mask, kWanted ? SFPSETCC_MOD1_LREG_NE0 : SFPSETCC_MOD1_LREG_EQ0);
    }
    sfpi_inline operator vInt() const { return vInt(mask); }
};

namespace impl_ {

template <typename Value>
sfpi_inline auto condition_of(const Value& value) {
    if constexpr (is_condition<Value>) {
        return value;
    } else {
        return Sign(value.get(), SFPSETCC_MOD1_LREG_NE0);
    }
}
template <typename Value>
constexpr bool is_truth = is_condition<Value> || is_whole<Value>;

// The lanes that a block of code changes.
class Lanes {
    unsigned entries = 0;
    Followed followed;

public:
    sfpi_inline Lanes() { enter(); }
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;
    sfpi_inline ~Lanes() {
        followed.check();
        pop_flags(entries);
        followed.end();
    }
    sfpi_inline void enter() {
        push_flags();
        entries++;
        followed.begin();
    }
    template <typename Value>
    sfpi_inline void narrow(const Value& value) {
        auto condition = condition_of(value);
        condition.template narrow<true>();
        entries += condition.entries(true);
    }
    // Narrows flags that differ from those of the stack's entry.
    template <typename Value>
    sfpi_inline void keep(const Value& value) {
        auto condition = condition_of(value);
        if (condition.entries(true) == 0) {
            condition.template narrow<true>();
        } else {
            Sign(mask_of(condition), SFPSETCC_MOD1_LREG_NE0).template narrow<true>();
        }
    }
    sfpi_inline void otherwise() {
        followed.check();
        complement_flags();
    }
};

template <typename One, typename Other, std::enable_if_t<is_truth<One> && is_truth<Other>, int> = 0>
sfpi_inline auto operator&&(const One& one, const Other& other) {
    return Both(condition_of(one), condition_of(other));
}
template <typename One, typename Other, std::enable_if_t<is_truth<One> && is_truth<Other>, int> = 0>
sfpi_inline auto operator||(const One& one, const Other& other) {
    return Opposite(
        Both(Opposite(condition_of(one)), Opposite(condition_of(other))));
}
template <typename One, std::enable_if_t<is_truth<One>, int> = 0>
sfpi_inline auto operator!(const One& one) {
    return Opposite(condition_of(one));
}

}  // namespace impl_

using impl_::operator&&;
using impl_::operator||;
using impl_::operator!;

// --- Comparisons ---------------------------------------------------------------------------------------------------------

namespace impl_ {

enum class Relation { Less, GreaterOrEqual, Equal, NotEqual, Greater, LessOrEqual };

constexpr Relation opposite(Relation relation) {
    switch (relation) {
        case Relation::Less: return Relation::GreaterOrEqual;
        case Relation::GreaterOrEqual: return Relation::Less;
        case Relation::Equal: return Relation::NotEqual;
        case Relation::NotEqual: return Relation::Equal;
        case Relation::Greater: return Relation::LessOrEqual;
        default: return Relation::Greater;
    }
}
// The relation of the other to the one.
constexpr Relation turned(Relation relation) {
    switch (relation) {
        case Relation::Less: return Relation::Greater;
        case Relation::GreaterOrEqual: return Relation::LessOrEqual;
        case Relation::Greater: return Relation::Less;
        case Relation::LessOrEqual: return Relation::GreaterOrEqual;
        default: return relation;
    }
}

// The relation of a vector's bits to zero: a NaN and a negative zero have signs.
template <Relation kRelation>
sfpi_inline void narrow_by_zero(const sfpu_t& value) {
    if constexpr (kRelation == Relation::Less) {
        narrow_flags(value, SFPSETCC_MOD1_LREG_LT0);
    } else if constexpr (kRelation == Relation::GreaterOrEqual) {
        narrow_flags(value, SFPSETCC_MOD1_LREG_GTE0);
    } else if constexpr (kRelation == Relation::Equal) {
        narrow_flags(value, SFPSETCC_MOD1_LREG_EQ0);
    } else if constexpr (kRelation == Relation::NotEqual) {
        narrow_flags(value, SFPSETCC_MOD1_LREG_NE0);
    } else {
        if constexpr (kRelation == Relation::LessOrEqual) push_flags();
        narrow_flags(value, SFPSETCC_MOD1_LREG_GTE0);
        narrow_flags(value, SFPSETCC_MOD1_LREG_NE0);
        if constexpr (kRelation == Relation::LessOrEqual) complement_flags();
    }
}

// The sign of a difference.
template <bool kFloats>
sfpi_inline void narrow_by_difference(const sfpu_t& first, const sfpu_t& second, bool is_negative) {
    if constexpr (kFloats) {
        vFloat difference = vFloat(first) - vFloat(second);
        narrow_flags(difference.get(), is_negative ? SFPSETCC_MOD1_LREG_LT0 : SFPSETCC_MOD1_LREG_GTE0);
    } else {
        subtract_integers(first, second, is_negative ? SFPIADD_MOD1_CC_LT0 : SFPIADD_MOD1_CC_GTE0);
        flags_changed();
    }
}
template <bool kFloats>
sfpi_inline void narrow_by_equality(const sfpu_t& a, const sfpu_t& b, unsigned mode) {
    if (kFloats && !is_constant(b)) {
        // Zeros of both signs are equal.
        vFloat difference = vFloat(a) - vFloat(b);
        narrow_flags(difference.get(), mode);
    } else if (!kFloats && is_constant(b) && is_immediate(0 - b.bits)) {
        narrow_flags(subtract_integers(a, b), mode);
    } else {
        // An infinity less itself is no zero.
        narrow_flags(binary<0x8d>(b, a, 0), mode);
    }
}
template <bool kFloats, Relation kRelation>
sfpi_inline void narrow_by(const sfpu_t& a, const sfpu_t& b) {
    if (is_constant(b) && b.bits == 0) {
        narrow_by_zero<kRelation>(a);
    } else if constexpr (kRelation == Relation::Less) {
        narrow_by_difference<kFloats>(a, b, true);
    } else if constexpr (kRelation == Relation::GreaterOrEqual) {
        narrow_by_difference<kFloats>(a, b, false);
    } else if constexpr (kRelation == Relation::Greater) {
        narrow_by_difference<kFloats>(b, a, true);
    } else if constexpr (kRelation == Relation::LessOrEqual) {
        narrow_by_difference<kFloats>(b, a, false);
    } else {
        narrow_by_equality<kFloats>(
            a, b, kRelation == Relation::Equal ? SFPSETCC_MOD1_LREG_EQ0 : SFPSETCC_MOD1_LREG_NE0);
    }
}

// A relation of two vectors, of which a constant is taken as the second.
template <bool kFloats, Relation kRelation>
struct Comparison {
    using Narrowing = void;
    sfpu_t a, b;
    sfpi_inline Comparison(const sfpu_t& a, const sfpu_t& b) : a(a), b(b) {}
    sfpi_inline bool is_turned() const { return is_constant(a) && !is_constant(b); }
    sfpi_inline unsigned entries(bool wanted) const {
        const Relation relation = wanted ? kRelation : opposite(kRelation);
        if (is_turned()) return a.bits == 0 && turned(relation) == Relation::LessOrEqual;
        return is_constant(b) && b.bits == 0 && relation == Relation::LessOrEqual;
    }
    template <bool kWanted>
    sfpi_inline void narrow() const {
        constexpr Relation relation = kWanted ? kRelation : opposite(kRelation);
        if (is_turned()) {
            narrow_by<kFloats, turned(relation)>(b, a);
        } else {
            narrow_by<kFloats, relation>(a, b);
        }
    }
};

template <typename Value>
constexpr bool is_vector_of_floats = std::is_base_of_v<vFloat, Value> || std::is_base_of_v<Multiplied, Value>;
// Floats of which one is a vector; a row of Dst becomes one.
template <typename One, typename Other>
using if_floats = std::enable_if_t<
    (is_vector_of_floats<One> && std::is_convertible_v<const Other&, vFloat>) ||
        (std::is_convertible_v<const One&, vFloat> && is_vector_of_floats<Other>),
    int>;
template <typename One, typename Other>
using if_magnitudes = std::enable_if_t<std::is_base_of_v<vSMag, One> && !is_vector_of_floats<Other>, int>;

template <typename Value>
sfpi_inline sfpu_t bits(const Value& value) {
    if constexpr (is_number<Value>) {
        return constant(static_cast<std::uint32_t>(value));
    } else {
        return value.get();
    }
}

}  // namespace impl_

#define HALLMARK_COMPARE(op, name)                                                                      \
    template <typename One, typename Other, impl_::if_floats<One, Other> = 0>                           \
    sfpi_inline auto operator op(const One& one, const Other& other) {                                  \
        vFloat a = one, b = other;                                                                \
        return impl_::Comparison<true, impl_::Relation::name>(a.get(), b.get());                        \
    }                                                                                                   \
    template <typename One, typename Other, impl_::if_whole<One, Other> = 0>                            \
    sfpi_inline auto operator op(const One& one, const Other& other) {                                  \
        return impl_::Comparison<false, impl_::Relation::name>(impl_::whole(one), impl_::whole(other)); \
    }
HALLMARK_COMPARE(<, Less)
HALLMARK_COMPARE(>=, GreaterOrEqual)
HALLMARK_COMPARE(==, Equal)
HALLMARK_COMPARE(!=, NotEqual)
HALLMARK_COMPARE(>, Greater)
HALLMARK_COMPARE(<=, LessOrEqual)
#undef HALLMARK_COMPARE
template <typename One, typename Other, impl_::if_magnitudes<One, Other> = 0>
sfpi_inline auto operator==(const One& one, const Other& other) {
    return impl_::Comparison<false, impl_::Relation::Equal>(one.get(), impl_::bits(other));
}
template <typename One, typename Other, impl_::if_magnitudes<One, Other> = 0>
sfpi_inline auto operator!=(const One& one, const Other& other) {
    return impl_::Comparison<false, impl_::Relation::NotEqual>(one.get(), impl_::bits(other));
}

// A hint to the vendor's compiler about a comparison's operands.
template <typename Inner>
sfpi_inline Inner nearby(const Inner& condition) {
    return condition;
}

}  // namespace sfpi

#define v_if(...)                         \
    {                                     \
        ::sfpi::impl_::Lanes sfpi_lanes_; \
        sfpi_lanes_.narrow(__VA_ARGS__);  \
        {
#define v_elseif(...)                \
    }                                \
    sfpi_lanes_.otherwise();         \
    sfpi_lanes_.enter();             \
    sfpi_lanes_.narrow(__VA_ARGS__); \
    {
#define v_else               \
    }                        \
    sfpi_lanes_.otherwise(); \
    {
#define v_endif \
    }           \
    }
#define v_block                           \
    {                                     \
        ::sfpi::impl_::Lanes sfpi_lanes_; \
        {
#define v_and(...) sfpi_lanes_.keep(__VA_ARGS__)
#define v_endblock \
    }              \
    }

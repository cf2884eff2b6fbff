// Rows of Dst, the vector registers by their numbers, and the registers that hold constants.
#pragma once

#include "vector/conditions.h"

namespace sfpi {

enum class DataLayout { Default, FSrcB, F32, F16a, F16b, I32, U32, U16, U8, SM32, SM16, SM8, M32, LO16, HI16 };

enum class LRegs : std::uint8_t { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7, LRegCount };

namespace impl_ {

// Two's complement from sign and magnitude, and back.
sfpi_inline sfpu_t whole_of_magnitude(const sfpu_t& value) {
    vInt whole = value;
    v_if(whole < 0) { whole = 0 - as<vInt>(vSMag(unary<0x89>(whole.get(), 1, 0))); }
    v_endif;
    return whole.get();
}
sfpi_inline sfpu_t magnitude_of_whole(const sfpu_t& value) {
#ifdef __riscv_xtttensixbh
    return unary<0x90>(value, SFPCAST_MOD1_INT32_TO_SM32);
#else
    vInt magnitude = value;
    v_if(magnitude < 0) { magnitude = vInt(unary<0x89>((0 - magnitude).get(), 1, 1)); }
    v_endif;
    return magnitude.get();
#endif
}

constexpr unsigned NO_FORMAT = ~0u;

// The modes of SFPLOAD and SFPSTORE by the layout of the data, the same for both.
constexpr unsigned format_of(DataLayout layout) {
    switch (layout) {
        case DataLayout::FSrcB: return SFPLOAD_MOD0_FMT_SRCB;
        case DataLayout::F32: return SFPLOAD_MOD0_FMT_FP32;
        case DataLayout::F16a: return SFPLOAD_MOD0_FMT_FP16A;
        case DataLayout::F16b: return SFPLOAD_MOD0_FMT_FP16B;
        case DataLayout::I32:
        case DataLayout::U32:
        case DataLayout::M32:
        case DataLayout::SM32: return SFPLOAD_MOD0_FMT_INT32;
        case DataLayout::U16: return SFPLOAD_MOD0_FMT_UINT16;
        case DataLayout::SM16: return SFPLOAD_MOD0_FMT_INT16;
        case DataLayout::U8:
        case DataLayout::SM8: return SFPLOAD_MOD0_FMT_INT8;
        case DataLayout::LO16: return SFPLOAD_MOD0_FMT_LO16;
        case DataLayout::HI16: return SFPLOAD_MOD0_FMT_HI16;
        default: return NO_FORMAT;
    }
}

// The layout of a type's data where none is named.
template <typename Type>
constexpr DataLayout usual_layout() {
    if constexpr (std::is_same_v<Type, vFloat16a>) {
        return DataLayout::F16a;
    } else if constexpr (std::is_same_v<Type, vFloat16b>) {
        return DataLayout::F16b;
    } else if constexpr (std::is_base_of_v<vFloat, Type>) {
        return DataLayout::FSrcB;
    } else if constexpr (std::is_base_of_v<vInt, Type>) {
#ifdef __riscv_xtttensixbh
        return DataLayout::I32;
#else
        // Wormhole converts as it loads and stores.
        return DataLayout::SM32;
#endif
    } else if constexpr (std::is_base_of_v<vUInt16, Type>) {
        return DataLayout::U16;
    } else if constexpr (std::is_base_of_v<vUInt, Type>) {
        return DataLayout::U32;
    } else if constexpr (std::is_base_of_v<vSMag16, Type>) {
        return DataLayout::SM16;
    } else {
        return DataLayout::SM32;
    }
}

// A row of Dst.
template <DataLayout kLayout>
class DstRow {
    int row;
    int address_mode;

    template <typename Type>
    static constexpr DataLayout layout() {
        return kLayout == DataLayout::Default ? usual_layout<Type>() : kLayout;
    }
    // Whether the datum in Dst has another form of sign than the vector.
    template <typename Type>
    static constexpr bool changes_sign() {
        return (std::is_base_of_v<vInt, Type> && layout<Type>() == DataLayout::SM32) ||
               (std::is_base_of_v<vSMag, Type> && layout<Type>() == DataLayout::I32);
    }

public:
    sfpi_inline constexpr explicit DstRow(int row, int address_mode = -1) : row(row), address_mode(address_mode) {}
    sfpi_inline constexpr DstRow(const DstRow&) = default;

    template <DataLayout kOther = DataLayout::Default>
    sfpi_inline constexpr DstRow<kOther == DataLayout::Default ? kLayout : kOther> mode(int other_mode = -1) const {
        return DstRow<kOther == DataLayout::Default ? kLayout : kOther>(row, other_mode < 0 ? address_mode : other_mode);
    }

    template <typename Type>
    sfpi_inline Type read() const {
        const unsigned mode = address_mode < 0 ? SFPLOAD_ADDR_MODE_NOINC : address_mode;
#ifdef __riscv_xtttensixbh
        sfpu_t value = load(row, format_of(layout<Type>()), mode);
        if constexpr (changes_sign<Type>()) {
            return Type(std::is_base_of_v<vInt, Type> ? whole_of_magnitude(value) : magnitude_of_whole(value));
        }
        return Type(value);
#else
        return Type(load(row, changes_sign<Type>() ? SFPLOAD_MOD0_FMT_SM32 : format_of(layout<Type>()), mode));
#endif
    }
    template <typename Type>
    sfpi_inline void write(const Type& value) const {
        const unsigned mode = address_mode < 0 ? SFPSTORE_ADDR_MODE_NOINC : address_mode;
#ifdef __riscv_xtttensixbh
        if constexpr (changes_sign<Type>()) {
            sfpu_t changed =
                std::is_base_of_v<vInt, Type> ? magnitude_of_whole(value.get()) : whole_of_magnitude(value.get());
            store(changed, row, format_of(layout<Type>()), mode);
            return;
        }
        store(value.get(), row, format_of(layout<Type>()), mode);
#else
        store(value.get(), row, changes_sign<Type>() ? SFPSTORE_MOD0_FMT_SM32 : format_of(layout<Type>()), mode);
#endif
    }

#define HALLMARK_DST_TYPE(Type)                                  \
    sfpi_inline operator Type() const { return read<Type>(); }   \
    sfpi_inline void operator=(const Type& value) const { write<Type>(value); }
    HALLMARK_DST_TYPE(vFloat)
    HALLMARK_DST_TYPE(vFloat16a)
    HALLMARK_DST_TYPE(vFloat16b)
    HALLMARK_DST_TYPE(vInt)
    HALLMARK_DST_TYPE(vUInt)
    HALLMARK_DST_TYPE(vMag)
    HALLMARK_DST_TYPE(vUInt16)
    HALLMARK_DST_TYPE(vUInt8)
    HALLMARK_DST_TYPE(vSMag)
    HALLMARK_DST_TYPE(vSMag16)
    HALLMARK_DST_TYPE(vSMag8)
#undef HALLMARK_DST_TYPE
    sfpi_inline void operator=(const Multiplied& value) const { write<vFloat>(value); }
    sfpi_inline void operator=(float value) const { write<vFloat>(value); }
    sfpi_inline void operator=(const DstRow& other) const { write<vFloat>(other.template read<vFloat>()); }
    sfpi_inline vFloat operator-() const { return -read<vFloat>(); }
};

class DstRows {
public:
    sfpi_inline constexpr DstRow<DataLayout::Default> operator[](int row) const {
        return DstRow<DataLayout::Default>(row * SFP_DESTREG_STRIDE);
    }
    sfpi_inline void operator+=(int rows) const { advance_rows(SFP_DESTREG_STRIDE * rows); }
    sfpi_inline void operator++() const { *this += 1; }
    sfpi_inline void operator++(int) const { *this += 1; }
};

// A vector register by its number.
class NumberedRegister {
    unsigned number;

public:
    sfpi_inline constexpr explicit NumberedRegister(unsigned number) : number(number) {}
    template <typename Type, std::enable_if_t<is_vector<Type>, int> = 0>
    sfpi_inline operator Type() const {
        return Type(read_register(number));
    }
    template <typename Type, std::enable_if_t<is_vector<Type> || std::is_base_of_v<Multiplied, Type>, int> = 0>
    sfpi_inline void operator=(const Type& value) const {
        write_register(number, value.get());
    }
    sfpi_inline void operator=(float value) const { write_register(number, vFloat(value).get()); }
    sfpi_inline void operator=(const NumberedRegister& other) const { write_register(number, read_register(other.number)); }
    sfpi_inline void in_use() const { *this = *this; }
};
class NumberedRegisters {
public:
    sfpi_inline NumberedRegister operator[](LRegs number) const {
        return NumberedRegister(static_cast<unsigned>(number));
    }
};

// A register that holds a constant.
template <typename Type, unsigned kNumber>
class ConstantRegister {
public:
    sfpi_inline operator Type() const { return Type(constant_register(kNumber)); }
    sfpi_inline sfpu_t get() const { return constant_register(kNumber); }
    template <typename Value, std::enable_if_t<std::is_convertible_v<const Value&, Type>, int> = 0>
    sfpi_inline void operator=(const Value& value) const {
        Type written = value;
        write_constant_register(kNumber, written.get());
    }
};

}  // namespace impl_

constexpr impl_::DstRows dst_reg;
constexpr impl_::NumberedRegisters l_reg;

constexpr impl_::ConstantRegister<vFloat, CREG_IDX_0> vConst0;
constexpr impl_::ConstantRegister<vFloat, CREG_IDX_1> vConst1;
constexpr impl_::ConstantRegister<vFloat, CREG_IDX_NEG_1> vConstNeg1;
constexpr impl_::ConstantRegister<vFloat, CREG_IDX_0P837300003> vConst0p8373;
constexpr impl_::ConstantRegister<vFloat, CREG_IDX_PRGM1> vConstFloatPrgm0;
constexpr impl_::ConstantRegister<vFloat, CREG_IDX_PRGM2> vConstFloatPrgm1;
constexpr impl_::ConstantRegister<vFloat, CREG_IDX_PRGM3> vConstFloatPrgm2;
constexpr impl_::ConstantRegister<vInt, CREG_IDX_PRGM1> vConstIntPrgm0;
constexpr impl_::ConstantRegister<vInt, CREG_IDX_PRGM2> vConstIntPrgm1;
constexpr impl_::ConstantRegister<vInt, CREG_IDX_PRGM3> vConstIntPrgm2;
constexpr impl_::ConstantRegister<vInt, CREG_IDX_TILEID> vConstTileId;

}  // namespace sfpi

// Prints from kernels, spelled as in TT-Metalium's header of this name (0.81.1): DEVICE_PRINT("x = {}\n", x), of which DPRINT
// is the usual name (api/debug/dprint.h). Formats and arguments are checked when the kernel is compiled. In a build for a
// profile nothing is printed.
#pragma once

#include "api/debug/dprint_tile.h"
#include "api/debug/waypoint.h"
#include "hallmark/print.h"
#include "hallmark/quoted.h"

// Kernels ask by this name, as in TT-Metalium, whether they print.
#if !defined(PROFILE_KERNEL) && !defined(DEBUG_PRINT_ENABLED)
#define DEBUG_PRINT_ENABLED 1
#endif

// A text that stays with the host.
struct ct_string {
    uint32_t number;
};

struct bf16_t {
    uint16_t val;
    constexpr bf16_t(uint16_t value) : val(value) {}
};

// An exponent that a block shares, and a mantissa.
struct bf8_t {
    uint16_t val;
    constexpr bf8_t(uint16_t value) : val(value) {}
    constexpr bf8_t(uint8_t exponent, uint8_t mantissa) : val(static_cast<uint16_t>(exponent | (mantissa << 8))) {}
};

struct bf4_t {
    uint16_t val;
    constexpr bf4_t(uint16_t value) : val(value) {}
    constexpr bf4_t(uint8_t exponent, uint8_t mantissa) : val(static_cast<uint16_t>(exponent | (mantissa << 8))) {}
};

// `len` words of elements of a data format, such as tt::DataFormat::Float32, by its number.
template <uint16_t len>
struct dp_typed_array_t {
    uint32_t* ptr;
    uint16_t type;
    dp_typed_array_t(uint16_t type, uint32_t* ptr) : ptr(ptr), type(type) {}
};

namespace hallmark {

template <PrintKind print_kind, typename T>
struct PrintHalfWord {
    static constexpr PrintKind kind = print_kind;
    static constexpr uint32_t words = 2;
    static inline __attribute__((always_inline)) void store(uint32_t* to, T value) {
        to[0] = static_cast<uint32_t>(kind) | (2 << 8);
        to[1] = value.val;
    }
};

template <> struct PrintArgument<bf16_t, false> : PrintHalfWord<PrintKind::Bfloat16, bf16_t> {};
template <> struct PrintArgument<bf8_t, false> : PrintHalfWord<PrintKind::Bfloat8, bf8_t> {};
template <> struct PrintArgument<bf4_t, false> : PrintHalfWord<PrintKind::Bfloat4, bf4_t> {};

template <>
struct PrintArgument<ct_string, false> {
    static constexpr PrintKind kind = PrintKind::Text;
    static constexpr uint32_t words = 2;
    static inline __attribute__((always_inline)) void store(uint32_t* to, ct_string text) {
        to[0] = static_cast<uint32_t>(kind) | (4 << 8);
        to[1] = text.number;
    }
};

template <uint16_t len>
struct PrintArgument<dp_typed_array_t<len>, false> {
    static_assert(len > 0 && len <= 64, "DPRINT prints arrays of 1 to 64 words");
    static constexpr PrintKind kind = PrintKind::Array;
    static constexpr uint32_t words = 1 + len;
    static inline __attribute__((always_inline)) void store(uint32_t* to, dp_typed_array_t<len> array) {
        to[0] = static_cast<uint32_t>(kind) | (len << 8) | (static_cast<uint32_t>(array.type) << 16);
        for (uint32_t i = 0; i < len; ++i) {
            to[1 + i] = static_cast<volatile uint32_t*>(array.ptr)[i];
        }
    }
};

}  // namespace hallmark

// Leaves a text in the ELF, by a number that no other text of the kernel has (printed_texts.rs). `pushsection` so that it
// takes no memory on the device.
#define HALLMARK_PRINTED_TEXT(number, text)                             \
    asm volatile(".pushsection .hallmark.prints, \"R\", @progbits\n"    \
                 ".4byte " HALLMARK_QUOTED(number) ", " HALLMARK_QUOTED(__LINE__) "\n" \
                 ".asciz " HALLMARK_QUOTED(__FILE__) "\n"               \
                 ".asciz " HALLMARK_QUOTED(text) "\n"                   \
                 ".popsection")

#define HALLMARK_CTSTR(number, text)          \
    __extension__({                           \
        HALLMARK_PRINTED_TEXT(number, text);  \
        ct_string{number};                    \
    })
#define CTSTR(literal) HALLMARK_CTSTR(__COUNTER__, literal)

#ifdef PROFILE_KERNEL
#define HALLMARK_PRINTS(number, format, ...)
#else
#define HALLMARK_PRINTS(number, format, ...)  \
    HALLMARK_PRINTED_TEXT(number, format);    \
    hallmark::print(number, arguments...);
#endif

#define HALLMARK_PRINT(number, format, ...)                                                                    \
    [](auto... arguments) __attribute__((always_inline)) {                                                     \
        constexpr hallmark::PrintMistake mistake = hallmark::PrintTypes<decltype(arguments)...>::mistake(format); \
        static_assert(mistake != hallmark::PrintMistake::Syntax,                                               \
                      "the format of DPRINT is wrong: a brace that stands for itself is written twice, and a field is " \
                      "{index:[[fill]align][sign][#][0][width][.precision][type]}, of which each part may be absent"); \
        static_assert(mistake != hallmark::PrintMistake::Mixed,                                                \
                      "the format of DPRINT has fields with an index and fields without one");                 \
        static_assert(mistake != hallmark::PrintMistake::Count,                                                \
                      "the format of DPRINT has another number of fields than DPRINT has arguments, or there are more " \
                      "than 16");                                                                              \
        static_assert(mistake != hallmark::PrintMistake::Kind,                                                 \
                      "an argument of DPRINT has a type that its field cannot show");                          \
        HALLMARK_PRINTS(number, format)                                                                        \
    }(__VA_ARGS__)

#define DEVICE_PRINT(format, ...)                            \
    do {                                                     \
        HALLMARK_PRINT(__COUNTER__, format, ##__VA_ARGS__);  \
    } while (0)

#ifdef UCK_CHLKC_UNPACK
#define DEVICE_PRINT_UNPACK(format, ...) DEVICE_PRINT(format, ##__VA_ARGS__)
#else
#define DEVICE_PRINT_UNPACK(format, ...)
#endif
#ifdef UCK_CHLKC_MATH
#define DEVICE_PRINT_MATH(format, ...) DEVICE_PRINT(format, ##__VA_ARGS__)
#else
#define DEVICE_PRINT_MATH(format, ...)
#endif
#ifdef UCK_CHLKC_PACK
#define DEVICE_PRINT_PACK(format, ...) DEVICE_PRINT(format, ##__VA_ARGS__)
#else
#define DEVICE_PRINT_PACK(format, ...)
#endif
#if defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)
#define DEVICE_PRINT_DATA0(format, ...)           \
    do {                                          \
        if (noc_index == 0) {                     \
            DEVICE_PRINT(format, ##__VA_ARGS__);  \
        }                                         \
    } while (0)
#define DEVICE_PRINT_DATA1(format, ...)           \
    do {                                          \
        if (noc_index == 1) {                     \
            DEVICE_PRINT(format, ##__VA_ARGS__);  \
        }                                         \
    } while (0)
#else
#define DEVICE_PRINT_DATA0(format, ...)
#define DEVICE_PRINT_DATA1(format, ...)
#endif

// What a kernel prints, on its way to the host: a ring of words in the kernel's own image, which exists only where a kernel
// prints. Formats and texts stay in sections that no device loads.
#pragma once

#include <stdint.h>

#include "hallmark/print_format.h"

namespace hallmark {

constexpr uint32_t kPrintWords = 256;

// The host knows this layout (printed_message.rs).
struct PrintBlock {
    // Not 0 if a host takes what is printed; otherwise nothing is kept.
    uint32_t host;
    // Words that were ever printed, and that the host has taken; both wrap.
    uint32_t written;
    uint32_t taken;
    // The number of the processor that prints.
    uint32_t processor;
    uint32_t words[kPrintWords];
};

// How an argument is sent: a word with its kind, and the words of its value.
template <typename T, bool is_enum = __is_enum(T)>
struct PrintArgument {
    static_assert(sizeof(T) == 0,
                  "DPRINT prints numbers, bool, char, pointers, CTSTR, bf16_t, bf8_t, bf4_t, dp_typed_array_t and TileSlice; "
                  "a text is printed as CTSTR(\"text\")");
};

template <PrintKind print_kind, typename T>
struct PrintNumber {
    static constexpr PrintKind kind = print_kind;
    static constexpr uint32_t words = 1 + (sizeof(T) + 3) / 4;
    static inline __attribute__((always_inline)) void store(uint32_t* to, T value) {
        to[0] = static_cast<uint32_t>(kind) | (sizeof(T) << 8);
        if constexpr (print_kind == PrintKind::Float) {
            __builtin_memcpy(to + 1, &value, sizeof(T));
        } else if constexpr (sizeof(T) == 8) {
            to[1] = static_cast<uint32_t>(value);
            to[2] = static_cast<uint32_t>(value >> 32);
        } else {
            to[1] = static_cast<uint32_t>(value);
        }
    }
};

template <> struct PrintArgument<bool, false> : PrintNumber<PrintKind::Bool, bool> {};
template <> struct PrintArgument<char, false> : PrintNumber<PrintKind::Char, char> {};
template <> struct PrintArgument<signed char, false> : PrintNumber<PrintKind::Signed, signed char> {};
template <> struct PrintArgument<short, false> : PrintNumber<PrintKind::Signed, short> {};
template <> struct PrintArgument<int, false> : PrintNumber<PrintKind::Signed, int> {};
template <> struct PrintArgument<long, false> : PrintNumber<PrintKind::Signed, long> {};
template <> struct PrintArgument<long long, false> : PrintNumber<PrintKind::Signed, long long> {};
template <> struct PrintArgument<unsigned char, false> : PrintNumber<PrintKind::Unsigned, unsigned char> {};
template <> struct PrintArgument<unsigned short, false> : PrintNumber<PrintKind::Unsigned, unsigned short> {};
template <> struct PrintArgument<unsigned int, false> : PrintNumber<PrintKind::Unsigned, unsigned int> {};
template <> struct PrintArgument<unsigned long, false> : PrintNumber<PrintKind::Unsigned, unsigned long> {};
template <> struct PrintArgument<unsigned long long, false> : PrintNumber<PrintKind::Unsigned, unsigned long long> {};
template <> struct PrintArgument<float, false> : PrintNumber<PrintKind::Float, float> {};
template <> struct PrintArgument<double, false> : PrintNumber<PrintKind::Float, double> {};

template <typename T>
struct PrintArgument<T, true> : PrintArgument<__underlying_type(T)> {
    static inline __attribute__((always_inline)) void store(uint32_t* to, T value) {
        PrintArgument<__underlying_type(T)>::store(to, static_cast<__underlying_type(T)>(value));
    }
};

template <typename T> inline constexpr bool kIsText = false;
template <> inline constexpr bool kIsText<char> = true;
template <> inline constexpr bool kIsText<const char> = true;

template <typename T>
struct PrintArgument<T*, false> {
    static_assert(!kIsText<T>, "DPRINT prints a text as CTSTR(\"text\"), which takes no memory of the device");
    static constexpr PrintKind kind = PrintKind::Pointer;
    static constexpr uint32_t words = 2;
    static inline __attribute__((always_inline)) void store(uint32_t* to, T* value) {
        to[0] = static_cast<uint32_t>(kind) | (4 << 8);
        to[1] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(value));
    }
};

}  // namespace hallmark

extern "C" void hallmark_print(const uint32_t* words, uint32_t count);

namespace hallmark {

template <typename... Types>
struct PrintTypes {
    static constexpr uint32_t count = sizeof...(Types);
    static constexpr PrintMistake mistake(const char* format) {
        if constexpr (count > kMostPrintArguments) {
            return PrintMistake::Count;
        } else {
            const PrintKind kinds[count + 1] = {PrintArgument<Types>::kind...};
            return print_mistake(format, kinds, count);
        }
    }
};

// A message: its number and its words, then the arguments.
template <typename... Types>
inline __attribute__((always_inline)) void print(uint32_t number, Types... arguments) {
    constexpr uint32_t count = (1 + ... + PrintArgument<Types>::words);
    static_assert(count <= kPrintWords / 2, "DPRINT prints at most 128 words at once");
    uint32_t words[count];
    words[0] = number | (count << 16);
    [[maybe_unused]] uint32_t at = 1;
    ((PrintArgument<Types>::store(words + at, arguments), at += PrintArgument<Types>::words), ...);
    hallmark_print(words, count);
}

}  // namespace hallmark

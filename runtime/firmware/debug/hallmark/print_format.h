// The formats of DPRINT, checked when a kernel is compiled. The host formats (printed_format.rs).
#pragma once

#include <stdint.h>

namespace hallmark {

// The kinds of arguments, which printed_message.rs knows by the same numbers.
enum class PrintKind : uint32_t {
    Signed = 1,
    Unsigned = 2,
    Bool = 3,
    Char = 4,
    Float = 5,
    Pointer = 6,
    Text = 7,
    Bfloat16 = 8,
    Bfloat8 = 9,
    Bfloat4 = 10,
    Array = 11,
    Tile = 12,
};

enum class PrintMistake : uint32_t { None, Syntax, Mixed, Count, Kind };

constexpr uint32_t kMostPrintArguments = 16;
// The host refuses a wider field, too.
constexpr uint32_t kMostPrintWidth = 128;

// A number at a place of a format. The place moves behind it.
constexpr uint32_t print_number(const char* format, uint32_t& at) {
    uint32_t number = 0;
    while (format[at] >= '0' && format[at] <= '9') {
        number = number * 10 + static_cast<uint32_t>(format[at++] - '0');
        if (number > 0xFFFF) {
            number = 0xFFFF;
        }
    }
    return number;
}

constexpr bool is_one_of(char letter, const char* letters) {
    for (; *letters != 0; ++letters) {
        if (*letters == letter) {
            return true;
        }
    }
    return false;
}

// Whether a value of a kind may be shown so. `type` is the letter at the end, or 0.
constexpr bool print_type_fits(PrintKind kind, char type, bool has_precision) {
    switch (kind) {
        case PrintKind::Signed:
        case PrintKind::Unsigned: return !has_precision && (type == 0 || is_one_of(type, "bBcdoxX"));
        case PrintKind::Bool: return !has_precision && (type == 0 || is_one_of(type, "bBdosxX"));
        case PrintKind::Char: return !has_precision && (type == 0 || is_one_of(type, "bBcdoxX"));
        case PrintKind::Float:
        case PrintKind::Bfloat16:
        case PrintKind::Bfloat8:
        case PrintKind::Bfloat4: return type == 0 || is_one_of(type, "eEfFgG");
        case PrintKind::Pointer: return !has_precision && (type == 0 || type == 'p');
        case PrintKind::Text: return type == 0 || type == 's';
        case PrintKind::Array: return !has_precision && type == 0;
        // The elements are floats or integers, which the compiler does not know.
        case PrintKind::Tile: return type == 0 || is_one_of(type, "bBdeEfFgGoxX");
    }
    return false;
}

// The first mistake of a format with these arguments. The grammar is fmt's, with widths and precisions as numbers:
// "{" [index] [":" [[fill] align] [sign] ["#"] ["0"] [width] ["." precision] [type]] "}"
constexpr PrintMistake print_mistake(const char* format, const PrintKind* kinds, uint32_t count) {
    uint32_t next = 0;
    bool indexed = false;
    bool counted = false;
    bool used[kMostPrintArguments] = {};
    for (uint32_t at = 0; format[at] != 0;) {
        if (format[at] == '}') {
            if (format[at + 1] != '}') {
                return PrintMistake::Syntax;
            }
            at += 2;
            continue;
        }
        if (format[at] != '{') {
            ++at;
            continue;
        }
        if (format[++at] == '{') {
            ++at;
            continue;
        }
        uint32_t index = next;
        if (format[at] >= '0' && format[at] <= '9') {
            index = print_number(format, at);
            indexed = true;
        } else {
            ++next;
            counted = true;
        }
        char type = 0;
        bool has_precision = false;
        if (format[at] == ':') {
            ++at;
            if (format[at] != 0 && format[at] != '{' && format[at] != '}' && is_one_of(format[at + 1], "<>^")) {
                at += 2;
            } else if (is_one_of(format[at], "<>^")) {
                ++at;
            }
            if (is_one_of(format[at], "+- ")) {
                ++at;
            }
            if (format[at] == '#') {
                ++at;
            }
            if (print_number(format, at) > kMostPrintWidth) {
                return PrintMistake::Syntax;
            }
            if (format[at] == '.') {
                ++at;
                if (format[at] < '0' || format[at] > '9' || print_number(format, at) > kMostPrintWidth) {
                    return PrintMistake::Syntax;
                }
                has_precision = true;
            }
            if (is_one_of(format[at], "bBcdeEfFgGopsxX")) {
                type = format[at++];
            }
        }
        if (format[at] != '}') {
            return PrintMistake::Syntax;
        }
        ++at;
        if (indexed && counted) {
            return PrintMistake::Mixed;
        }
        if (index >= count || index >= kMostPrintArguments) {
            return PrintMistake::Count;
        }
        used[index] = true;
        if (!print_type_fits(kinds[index], type, has_precision)) {
            return PrintMistake::Kind;
        }
    }
    for (uint32_t index = 0; index < count; ++index) {
        if (!used[index]) {
            return PrintMistake::Count;
        }
    }
    return PrintMistake::None;
}

}  // namespace hallmark

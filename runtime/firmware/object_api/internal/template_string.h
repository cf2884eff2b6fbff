// A text as a template argument.
#pragma once

#include <stddef.h>

namespace internal {

inline constexpr size_t MAX_TEMPLATE_STRING_LEN = 64;

struct TemplateString {
    char value[MAX_TEMPLATE_STRING_LEN + 1] = {};
    // Bytes, with the 0 at the end.
    size_t length = 0;

    template <size_t kSize>
    constexpr TemplateString(const char (&text)[kSize]) : length(kSize) {
        static_assert(kSize <= MAX_TEMPLATE_STRING_LEN + 1, "a text has at most 64 characters");
        for (size_t index = 0; index < kSize; ++index) {
            value[index] = text[index];
        }
    }

    constexpr bool operator==(const TemplateString& other) const {
        for (size_t index = 0; index <= MAX_TEMPLATE_STRING_LEN; ++index) {
            if (value[index] != other.value[index]) {
                return false;
            }
        }
        return length == other.length;
    }
    constexpr bool operator!=(const TemplateString& other) const { return !(*this == other); }
};

}  // namespace internal

// The old style, `DPRINT << x << ENDL()`, which TT-Metalium has given up. It does not compile, for one stated reason.
#pragma once

#include <stdint.h>

namespace hallmark {

// Stands for DPRINT where it is not called.
struct StreamPrint {};

template <typename T>
StreamPrint operator<<(StreamPrint print, T) {
    static_assert(sizeof(T) == 0,
                  "Old style DPRINT is deprecated. Use DPRINT(format, ...) instead. (TT-Metalium's words.) Write "
                  "DPRINT(\"x = {}\\n\", x), with the values behind the format");
    return print;
}

}  // namespace hallmark

inline hallmark::StreamPrint DPRINT;

// What `DPRINT <<` took, so that the text above is all that a kernel in the old style gets to see.
struct ENDL {};
struct HEX {};
struct DEC {};
struct OCT {};
struct FIXED {};
struct DEFAULTFLOAT {};
struct SETW {
    SETW(char) {}
};
struct SETPRECISION {
    SETPRECISION(char) {}
};
struct BF16 {
    BF16(uint16_t) {}
};
struct F32 {
    F32(float) {}
};
struct U32 {
    U32(uint32_t) {}
};
struct U32_ARRAY {
    U32_ARRAY(uint32_t*, uint32_t) {}
};
struct TYPED_U32_ARRAY {
    TYPED_U32_ARRAY(uint16_t, uint16_t, uint32_t*, uint32_t) {}
};

// Assertions, spelled as in TT-Metalium's header of this name. An assertion that does not hold stops the kernel with a
// fault (`KernelAssertion`) that names its file, line and expression.
//
// TT-Metalium leaves assertions out of a build unless its watcher or its lightweight assertions are on. Here they are
// always on. They are lightweight ones: an `ebreak`, and no memory.
#pragma once
// A constant expression may hold an assertion. Before C++20 the compiler warns of `asm` in a `constexpr` function, but
// not where the `asm` comes from a macro of a system header.
#pragma GCC system_header

#include "hallmark/quoted.h"

#define ASSERT_ENABLED 1
#define LIGHTWEIGHT_ASSERT_ENABLED 1
#define WATCHER_ASSERT_ENABLED 0

// `text` is the expression as a literal; as an argument it is made before macros in it are replaced. The entry of the
// table stands in a section that no device loads and that the linker keeps ("R"): the place of the `ebreak`, line, file
// and expression (assertions.rs).
#define HALLMARK_ASSERTION_FAILS(text)                                       \
    __extension__({                                                          \
        asm volatile("" ::: "memory");                                       \
        asm volatile("1: ebreak\n"                                           \
                     ".pushsection .hallmark.assertions, \"R\", @progbits\n" \
                     ".4byte 1b, " HALLMARK_QUOTED(__LINE__) "\n"            \
                     ".asciz " HALLMARK_QUOTED(__FILE__) "\n"                \
                     ".asciz " HALLMARK_QUOTED_AS_IS(text) "\n"              \
                     ".popsection");                                         \
    })

// The further argument of TT-Metalium's macro is the kind of assertion, which its watcher alone reports.
#define ASSERT(condition, ...) (void((condition) ? void() : HALLMARK_ASSERTION_FAILS(#condition)))

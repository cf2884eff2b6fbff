// A wrong use of the compute API stops the kernel with a fault (`KernelAssertion`) whose reason is a sentence, at the line of
// the call.
#pragma once

// The table of assertions has the sentence, without a file and a line (assertions.rs, api/debug/assert.h).
#define HALLMARK_MISUSE(sentence)                                            \
    __extension__({                                                          \
        asm volatile("1: ebreak\n"                                           \
                     ".pushsection .hallmark.assertions, \"R\", @progbits\n" \
                     ".4byte 1b, 0\n"                                        \
                     ".asciz \"\"\n"                                         \
                     ".asciz \"" sentence "\"\n"                             \
                     ".popsection");                                         \
    })

#define HALLMARK_REQUIRE(condition, sentence) \
    (void(__builtin_expect((condition), 1) ? void() : HALLMARK_MISUSE(sentence)))

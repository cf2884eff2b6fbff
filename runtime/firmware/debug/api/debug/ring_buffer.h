// The ring of values that a kernel leaves for the report of its end, spelled as in TT-Metalium's header of this name. The
// report of a deadlock, a hang or a fault shows the last values of each kernel concerned.
//
// TT-Metalium has one ring for a core; here each processor has its own, in its kernel's image, where a kernel pushes values.
#pragma once

#include <stdint.h>

namespace hallmark {

// The host knows this layout (leftovers.rs).
struct RingBuffer {
    // Values that were ever pushed, modulo 2^32.
    uint32_t pushed;
    uint32_t values[32];
};

}  // namespace hallmark

asm(".pushsection .text.hallmark.ring_buffer, \"ax\", @progbits\n"
    ".balign 4\n"
    ".type hallmark_ring_buffer, @object\n"
    ".size hallmark_ring_buffer, 132\n"
    "hallmark_ring_buffer: .zero 132\n"
    ".popsection");

static_assert(sizeof(hallmark::RingBuffer) == 132, "the assembler counts the same bytes");

extern "C" volatile hallmark::RingBuffer hallmark_ring_buffer;

inline __attribute__((always_inline)) void push_to_ring_buffer(uint32_t val) {
    const uint32_t pushed = hallmark_ring_buffer.pushed;
    hallmark_ring_buffer.values[pushed % 32] = val;
    hallmark_ring_buffer.pushed = pushed + 1;
}

#define WATCHER_RING_BUFFER_PUSH(x) push_to_ring_buffer(x)
#define WATCHER_RING_BUFFER_INIT()

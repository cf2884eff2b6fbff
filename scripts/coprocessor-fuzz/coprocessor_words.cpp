// hallmark-only: pushes the instructions of the Tensix coprocessor that the host chose.
// Runtime arguments: 0 words, 1 input, 2 output, 3 a word that becomes 1 at the end; all are addresses in L1.
// The words: the number of triples, the numbers of instructions of the three threads, the triples, the instructions. A triple
// is a word of the configuration, its value, and what is added to that: 1 the line of the input, 2 the line of the output.

#include <cstdint>

#include "api/compute/cb_api.h"

namespace {

inline void push(uint32_t instruction) { hallmark::register_at(0xFFE4'0000) = instruction; }

inline void configure(uint32_t word, uint32_t value) { hallmark::register_at(0xFFEF'0000 + 4 * word) = value; }

}  // namespace

void kernel_main() {
    const volatile uint32_t* words = reinterpret_cast<const volatile uint32_t*>(get_arg_val<uint32_t>(0));
    const uint32_t triples = words[0];
    UNPACK({
        for (uint32_t triple = 0; triple < triples; ++triple) {
            const volatile uint32_t* it = words + 4 + 3 * triple;
            const uint32_t added = it[2];
            configure(it[0], it[1] + (added == 0 ? 0 : get_arg_val<uint32_t>(added) >> 4));
        }
        if (triples != 0) {
            hallmark::settle_store(&hallmark::register_at(0xFFEF'0000 + 4 * words[4 + 3 * (triples - 1)]));
        }
    })
    // The other threads begin when the configuration is written.
    hallmark::broadcast_from_unpack(1);
    uint32_t thread = 0;
    MATH(thread = 1;)
    PACK(thread = 2;)
    uint32_t first = 4 + 3 * triples;
    for (uint32_t before = 0; before < thread; ++before) {
        first += words[1 + before];
    }
    for (uint32_t index = 0; index < words[1 + thread]; ++index) {
        push(words[first + index]);
    }
    hallmark::settle_store(&hallmark::register_at(0xFFE8'0004));
    PACK({
        volatile uint32_t* done = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(3));
        *done = 1;
    })
}

// hallmark-only: all three compute threads store to L1, without the Tensix coprocessor.
// Each thread stores its word and says so.
// Runtime arguments: 0 L1 address of UNPACK's word, which those of MATH and PACK follow, 1 UNPACK's number; MATH's and
// PACK's are 1 and 2 greater, 2–4 addresses of the threads' semaphores.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    constexpr uint32_t thread = COMPILE_FOR_TRISC;
    volatile uint32_t* word = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0) + 4 * thread);
    *word = get_arg_val<uint32_t>(1) + thread;
    hallmark::settle_store(word);
    volatile uint32_t* said = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(2 + thread));
    *said = 1;
    hallmark::settle_store(said);
}

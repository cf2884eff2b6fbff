// hallmark-only: reports from compute threads, without the Tensix coprocessor.
// UNPACK sends MATH `words` numbers as fast as the mailbox between them takes them; MATH lets it fill first, and hands
// on what it gets to PACK, the n-th greater by 100 n, so that two wrong orders cannot make a right one. PACK writes it
// to its page.
// Compile-time arguments: 0 output circular buffer, 1 words.
// Runtime arguments: 0 first number, each greater by 3 than the one before, 1 rounds that MATH waits before it reads.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    using hallmark::Thread;
    constexpr uint32_t cb_out = get_compile_time_arg_val(0);
    constexpr uint32_t words = get_compile_time_arg_val(1);
    const uint32_t out = hallmark::acquire_result(cb_out, 1);
    volatile uint32_t* page = reinterpret_cast<volatile uint32_t*>(out);
    MATH(for (uint32_t round = get_arg_val<uint32_t>(1); round != 0; --round) { asm volatile(""); })
    for (uint32_t word = 0; word < words; ++word) {
        UNPACK(hallmark::send(Thread::kMath, get_arg_val<uint32_t>(0) + 3 * word);)
        MATH(hallmark::send(Thread::kPack, hallmark::receive(Thread::kUnpack) + 100 * word);)
        PACK(page[word] = hallmark::receive(Thread::kMath);)
    }
    hallmark::release_result(cb_out, 1, page + words - 1);
}

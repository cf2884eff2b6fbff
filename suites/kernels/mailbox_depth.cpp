// hallmark-only: reports from compute threads, without the Tensix coprocessor.
// UNPACK sends MATH `words` numbers and only then posts a semaphore of the coprocessor, without which MATH reads none.
// MATH hands on what it gets to PACK, which writes it to its page.
// Compile-time arguments: 0 output circular buffer.
// Runtime arguments: 0 words, 1 first number.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    using hallmark::Thread;
    constexpr uint32_t cb_out = get_compile_time_arg_val(0);
    constexpr uint32_t kSemaphore = 0xFFE8'0020;
    // Writing one of these to a semaphore's register does that to it.
    constexpr uint32_t kPost = 0;
    constexpr uint32_t kGet = 1;
    const uint32_t words = get_arg_val<uint32_t>(0);
    const uint32_t out = hallmark::acquire_result(cb_out, 1);
    volatile uint32_t* page = reinterpret_cast<volatile uint32_t*>(out);
    UNPACK({
        for (uint32_t word = 0; word < words; ++word) {
            hallmark::send(Thread::kMath, get_arg_val<uint32_t>(1) + word);
        }
        hallmark::register_at(kSemaphore) = kPost;
    })
    MATH({
        while (hallmark::register_at(kSemaphore) == 0) {
        }
        hallmark::register_at(kSemaphore) = kGet;
    })
    for (uint32_t word = 0; word < words; ++word) {
        MATH(hallmark::send(Thread::kPack, hallmark::receive(Thread::kUnpack));)
        PACK(page[word] = hallmark::receive(Thread::kMath);)
    }
    hallmark::release_result(cb_out, 1, page + words - 1);
}

// hallmark-only: reports from all three compute threads, without the Tensix coprocessor.
// UNPACK sends a runtime argument to MATH, MATH doubles it for PACK, PACK writes it with the compile-time
// argument and its own thread number to its first page.
// Compile-time arguments: 0 output circular buffer, 1 any number.
// Runtime arguments: 0 any number.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    using hallmark::Thread;
    constexpr uint32_t cb_out = get_compile_time_arg_val(0);
    UNPACK(hallmark::send(Thread::kMath, get_arg_val<uint32_t>(0));)
    MATH(hallmark::send(Thread::kPack, 2 * hallmark::receive(Thread::kUnpack));)
    const uint32_t out = hallmark::acquire_result(cb_out, 1);
    volatile uint32_t* last = nullptr;
    PACK({
        constexpr uint32_t number = get_compile_time_arg_val(1);
        const uint32_t words = (get_local_cb_interface(cb_out).fifo_page_size << 4) / 4;
        volatile uint32_t* page = reinterpret_cast<volatile uint32_t*>(out);
        page[0] = hallmark::receive(Thread::kMath);
        page[1] = number;
        page[2] = COMPILE_FOR_TRISC;
        for (uint32_t word = 3; word < words; ++word) {
            page[word] = 0;
        }
        last = page + words - 1;
    })
    hallmark::release_result(cb_out, 1, last);
}

// hallmark-only: computes on the baby cores, which TT-Metalium leaves to the Tensix coprocessor.
// Adds a number to every 32-bit word of the pages that pass.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer.
// Runtime arguments: 0 pages, 1 the number.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t pages = get_arg_val<uint32_t>(0);

    for (uint32_t page = 0; page < pages; ++page) {
        const uint32_t in = hallmark::acquire_operand(cb_in, 1);
        const uint32_t out = hallmark::acquire_result(cb_out, 1);
        volatile uint32_t* last = nullptr;
        PACK({
            const uint32_t number = get_arg_val<uint32_t>(1);
            const uint32_t words = (get_local_cb_interface(cb_out).fifo_page_size << 4) / 4;
            const volatile uint32_t* from = reinterpret_cast<volatile uint32_t*>(in);
            last = reinterpret_cast<volatile uint32_t*>(out) - 1;
            for (uint32_t word = 0; word < words; ++word) {
                *++last = from[word] + number;
            }
        })
        hallmark::release_operand(cb_in, 1);
        hallmark::release_result(cb_out, 1, last);
    }
}

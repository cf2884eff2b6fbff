// hallmark-only: computes on the baby cores, which TT-Metalium leaves to the Tensix coprocessor.
// Adds the 32-bit words of two inputs.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer.
// Runtime arguments: 0 pages.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    const uint32_t pages = get_arg_val<uint32_t>(0);

    for (uint32_t page = 0; page < pages; ++page) {
        const uint32_t a = hallmark::acquire_operand(cb_a, 1);
        const uint32_t b = hallmark::acquire_operand(cb_b, 1);
        const uint32_t out = hallmark::acquire_result(cb_out, 1);
        volatile uint32_t* last = nullptr;
        PACK({
            const uint32_t words = (get_local_cb_interface(cb_out).fifo_page_size << 4) / 4;
            const volatile uint32_t* from_a = reinterpret_cast<volatile uint32_t*>(a);
            const volatile uint32_t* from_b = reinterpret_cast<volatile uint32_t*>(b);
            last = reinterpret_cast<volatile uint32_t*>(out) - 1;
            for (uint32_t word = 0; word < words; ++word) {
                *++last = from_a[word] + from_b[word];
            }
        })
        hallmark::release_operand(cb_a, 1);
        hallmark::release_operand(cb_b, 1);
        hallmark::release_result(cb_out, 1, last);
    }
}

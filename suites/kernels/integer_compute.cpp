// hallmark-only: computes on the baby cores, which TT-Metalium leaves to the Tensix coprocessor.
// Writes what integer instructions make of a runtime argument and of each word of a page, on the thread that packs.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer, whose pages are rows.
// Runtime arguments: 0 the first operand of every instruction.

#include <cstdint>

#include "hallmark/plain_compute.h"
#include "integer_rows.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);

    const uint32_t operands = hallmark::acquire_operand(cb_in, 1);
    const uint32_t rows = hallmark::acquire_result(cb_out, kIntegerRows);
    volatile uint32_t* last = nullptr;
    PACK({
        const uint32_t count = (get_local_cb_interface(cb_out).fifo_page_size << 4) / 4;
        last = write_integer_rows(reinterpret_cast<volatile uint32_t*>(rows),
                                  reinterpret_cast<volatile uint32_t*>(operands), count, get_arg_val<uint32_t>(0)) -
               1;
    })
    hallmark::release_operand(cb_in, 1);
    hallmark::release_result(cb_out, kIntegerRows, last);
}

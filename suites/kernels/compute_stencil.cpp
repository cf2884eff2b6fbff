// hallmark-only: computes on the baby cores, which TT-Metalium leaves to the Tensix coprocessor.
// A stencil of five points over rows that arrive one page each, the row before the first and the row after the last
// one included: the sum of the four neighbours minus four times the element. Rows end where they begin.
// UNPACK fetches the rows, MATH computes, PACK writes.
// Compile-time arguments: 0 input circular buffer of at least 3 pages, 1 output circular buffer.
// Runtime arguments: 0 rows of the result.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    using hallmark::Thread;
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t rows = get_arg_val<uint32_t>(0);
    const uint32_t columns = (get_local_cb_interface(cb_out).fifo_page_size << 4) / 4;

    for (uint32_t row = 0; row < rows; ++row) {
        cb_wait_front(cb_in, 3);
        // Each by itself: the three may lie on both sides of the circular buffer's end.
        uint32_t rows_of_three[3] = {0, 0, 0};
        UNPACK({
            const LocalCBInterface& buffer = get_local_cb_interface(cb_in);
            uint32_t place = buffer.fifo_rd_ptr;
            for (uint32_t index = 0; index < 3; ++index) {
                hallmark::send(Thread::kMath, place << 4);
                place += buffer.fifo_page_size;
                place = place == buffer.fifo_limit ? place - buffer.fifo_size : place;
            }
        })
        const uint32_t out = hallmark::acquire_result(cb_out, 1);
        volatile uint32_t* last = nullptr;
        MATH({
            invalidate_l1_cache();
            for (uint32_t index = 0; index < 3; ++index) {
                rows_of_three[index] = hallmark::receive(Thread::kUnpack);
            }
            const volatile uint32_t* above = reinterpret_cast<volatile uint32_t*>(rows_of_three[0]);
            const volatile uint32_t* here = reinterpret_cast<volatile uint32_t*>(rows_of_three[1]);
            const volatile uint32_t* below = reinterpret_cast<volatile uint32_t*>(rows_of_three[2]);
            for (uint32_t column = 0; column < columns; ++column) {
                const uint32_t left = here[column == 0 ? columns - 1 : column - 1];
                const uint32_t right = here[column + 1 == columns ? 0 : column + 1];
                hallmark::send(Thread::kPack, above[column] + below[column] + left + right - 4 * here[column]);
            }
            hallmark::send(Thread::kUnpack, row);
        })
        PACK({
            last = reinterpret_cast<volatile uint32_t*>(out) - 1;
            for (uint32_t column = 0; column < columns; ++column) {
                *++last = hallmark::receive(Thread::kMath);
            }
        })
        UNPACK(static_cast<void>(hallmark::receive(Thread::kMath));)
        cb_pop_front(cb_in, 1);
        hallmark::release_result(cb_out, 1, last);
    }
    cb_pop_front(cb_in, 2);
}

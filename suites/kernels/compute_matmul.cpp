// hallmark-only: computes on the baby cores, which TT-Metalium leaves to the Tensix coprocessor.
// Integer matrix product: each page of the first input is a row of the left matrix, each page of the second one a row
// of the right matrix, of which all are taken at once and kept; each page of the result is a row of the product.
// UNPACK fetches the operands, MATH multiplies and adds, PACK writes.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer.
// Runtime arguments: 0 rows of the left matrix, 1 rows of the right one.

#include <cstdint>

#include "hallmark/plain_compute.h"

void kernel_main() {
    using hallmark::Thread;
    constexpr uint32_t cb_left = get_compile_time_arg_val(0);
    constexpr uint32_t cb_right = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    const uint32_t rows = get_arg_val<uint32_t>(0);
    const uint32_t depth = get_arg_val<uint32_t>(1);
    const uint32_t columns = (get_local_cb_interface(cb_out).fifo_page_size << 4) / 4;

    cb_wait_front(cb_right, depth);
    const uint32_t right = get_tile_address(cb_right, 0);
    for (uint32_t row = 0; row < rows; ++row) {
        cb_wait_front(cb_left, 1);
        const uint32_t left = get_tile_address(cb_left, 0);
        const uint32_t out = hallmark::acquire_result(cb_out, 1);
        volatile uint32_t* last = nullptr;
        MATH({
            invalidate_l1_cache();
            const volatile uint32_t* left_row = reinterpret_cast<volatile uint32_t*>(left);
            const volatile uint32_t* right_rows = reinterpret_cast<volatile uint32_t*>(right);
            for (uint32_t column = 0; column < columns; ++column) {
                uint32_t sum = 0;
                for (uint32_t index = 0; index < depth; ++index) {
                    sum += left_row[index] * right_rows[index * columns + column];
                }
                hallmark::send(Thread::kPack, sum);
            }
            // UNPACK may give the row back.
            hallmark::send(Thread::kUnpack, row);
        })
        PACK({
            last = reinterpret_cast<volatile uint32_t*>(out) - 1;
            for (uint32_t column = 0; column < columns; ++column) {
                *++last = hallmark::receive(Thread::kMath);
            }
        })
        UNPACK(static_cast<void>(hallmark::receive(Thread::kMath));)
        cb_pop_front(cb_left, 1);
        hallmark::release_result(cb_out, 1, last);
    }
    cb_pop_front(cb_right, depth);
}

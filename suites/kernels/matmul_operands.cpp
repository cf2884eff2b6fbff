// Reads the operands of a matrix product that a grid of cores computes together. The cores of column 0 read blocks of the left
// matrix and send each to their row; the cores of row 0 read blocks of the right matrix and send each to their column.
// Compile-time arguments: 0 and 1 circular buffers of the left and the right matrix, 2 rows of tiles and 3 columns of tiles
// that a core computes, 4 columns of tiles of the left matrix, 5 columns of tiles of the right one, then their TensorAccessors.
// Runtime arguments: 0 left matrix, 1 right matrix, 2 column and 3 row of the core. Then for the left and for the right matrix:
// the semaphores "ready" and "sent", x and y of the sender, x and y of the first and of the last receiver, receivers.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

struct Line {
    uint32_t cb, ready, sent, first_argument;
    bool is_sender;

    Line(uint32_t cb, uint32_t first_argument, bool is_sender) :
        cb(cb),
        ready(get_semaphore(get_arg_val<uint32_t>(first_argument))),
        sent(get_semaphore(get_arg_val<uint32_t>(first_argument + 1))),
        first_argument(first_argument),
        is_sender(is_sender) {}

    uint32_t argument(uint32_t index) const { return get_arg_val<uint32_t>(first_argument + index); }

    uint64_t receivers_at(uint32_t address) const {
        return get_noc_multicast_addr(argument(4), argument(5), argument(6), argument(7), address);
    }

    // Reads `tiles` pages, the first one at `page` and each `stride` behind the one before, or receives them.
    template <typename Source>
    void bring(const Source& source, uint32_t page, uint32_t stride, uint32_t tiles) const {
        const uint32_t page_size = get_local_cb_interface(cb).fifo_page_size;
        const uint32_t address = get_write_ptr(cb);
        volatile tt_l1_ptr uint32_t* sent_word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sent);
        if (is_sender) {
            for (uint32_t tile = 0; tile < tiles; ++tile) {
                noc_async_read(source.get_noc_addr(page + tile * stride), address + tile * page_size, page_size);
            }
            noc_async_read_barrier();
            volatile tt_l1_ptr uint32_t* ready_word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready);
            noc_semaphore_wait(ready_word, argument(8));
            noc_semaphore_set(ready_word, 0);
            noc_async_write_multicast(address, receivers_at(address), tiles * page_size, argument(8));
            noc_async_write_barrier();
            noc_semaphore_set(sent_word, 1);
            noc_semaphore_set_multicast(sent, receivers_at(sent), argument(8));
            noc_async_write_barrier();
        } else {
            noc_semaphore_set(sent_word, 0);
            noc_semaphore_inc(get_noc_addr(argument(2), argument(3), ready), 1);
            noc_semaphore_wait(sent_word, 1);
        }
    }
};

void kernel_main() {
    constexpr uint32_t cb_left = get_compile_time_arg_val(0);
    constexpr uint32_t cb_right = get_compile_time_arg_val(1);
    constexpr uint32_t rows = get_compile_time_arg_val(2);
    constexpr uint32_t columns = get_compile_time_arg_val(3);
    constexpr uint32_t depth = get_compile_time_arg_val(4);
    constexpr uint32_t right_columns = get_compile_time_arg_val(5);
    constexpr auto left_args = TensorAccessorArgs<6>();
    constexpr auto right_args = TensorAccessorArgs<left_args.next_compile_time_args_offset()>();
    const uint32_t column = get_arg_val<uint32_t>(2);
    const uint32_t row = get_arg_val<uint32_t>(3);

    const auto left = TensorAccessor(left_args, get_arg_val<uint32_t>(0), get_local_cb_interface(cb_left).fifo_page_size);
    const auto right = TensorAccessor(right_args, get_arg_val<uint32_t>(1), get_local_cb_interface(cb_right).fifo_page_size);
    const Line across(cb_left, 4, column == 0);
    const Line down(cb_right, 13, row == 0);
    for (uint32_t step = 0; step < depth; ++step) {
        cb_reserve_back(cb_left, rows);
        across.bring(left, row * rows * depth + step, depth, rows);
        cb_push_back(cb_left, rows);
        cb_reserve_back(cb_right, columns);
        down.bring(right, step * right_columns + column * columns, 1, columns);
        cb_push_back(cb_right, columns);
    }
    noc_async_atomic_barrier();
}

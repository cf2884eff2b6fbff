// Writes a block of tiles to its place in a matrix of tiles.
// Compile-time arguments: 0 circular buffer, 1 rows and 2 columns of the block, 3 columns of the matrix, then the TensorAccessor.
// Runtime arguments: 0 buffer, 1 column and 2 row of the block in blocks.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t rows = get_compile_time_arg_val(1);
    constexpr uint32_t columns = get_compile_time_arg_val(2);
    constexpr uint32_t matrix_columns = get_compile_time_arg_val(3);
    constexpr auto args = TensorAccessorArgs<4>();

    const uint32_t page_size = get_local_cb_interface(cb).fifo_page_size;
    const auto destination = TensorAccessor(args, get_arg_val<uint32_t>(0), page_size);
    const uint32_t first = get_arg_val<uint32_t>(2) * rows * matrix_columns + get_arg_val<uint32_t>(1) * columns;
    cb_wait_front(cb, rows * columns);
    uint32_t l1_address = get_read_ptr(cb);
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            noc_async_write(l1_address, destination.get_noc_addr(first + row * matrix_columns + column), page_size);
            l1_address += page_size;
        }
    }
    noc_async_write_barrier();
    cb_pop_front(cb, rows * columns);
}

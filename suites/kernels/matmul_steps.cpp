// A block of a matrix product: in each step a column of `rows` tiles by a row of `columns` tiles, summed up in Dst.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer, 3 rows, 4 columns, 5 steps.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"

void kernel_main() {
    constexpr uint32_t cb_left = get_compile_time_arg_val(0);
    constexpr uint32_t cb_right = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr uint32_t rows = get_compile_time_arg_val(3);
    constexpr uint32_t columns = get_compile_time_arg_val(4);
    constexpr uint32_t steps = get_compile_time_arg_val(5);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_left, cb_right, cb_out);
    matmul_block_init(cb_left, cb_right, 0, columns, rows, 1);
    tile_regs_acquire();
    for (uint32_t step = 0; step < steps; ++step) {
        cb_wait_front(cb_left, rows);
        cb_wait_front(cb_right, columns);
        matmul_block(cb_left, cb_right, 0, 0, 0, 0, columns, rows, 1);
        cb_pop_front(cb_left, rows);
        cb_pop_front(cb_right, columns);
    }
    tile_regs_commit();

    cb_reserve_back(cb_out, rows * columns);
    tile_regs_wait();
    pack_block(0, cb_out, rows * columns);
    tile_regs_release();
    cb_push_back(cb_out, rows * columns);
}

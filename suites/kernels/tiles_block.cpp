// The product of two matrices of tiles: `rows` by `inner` tiles, and `inner` by `columns`, which may be transposed. All tiles
// of the product stand in Dst, and each step adds to all of them.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer, 3 rows, 4 inner, 5 columns,
// 6 whether the tiles of the second matrix are transposed, 7 what the calls say about that.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr uint32_t rows = get_compile_time_arg_val(3);
    constexpr uint32_t inner = get_compile_time_arg_val(4);
    constexpr uint32_t columns = get_compile_time_arg_val(5);
    constexpr uint32_t transpose = get_compile_time_arg_val(6);
    constexpr uint32_t said_transpose = get_compile_time_arg_val(7);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a, cb_b, cb_out);
    matmul_block_init(cb_a, cb_b, transpose, columns, rows, inner);
    cb_wait_front(cb_a, rows * inner);
    cb_wait_front(cb_b, inner * columns);
    tile_regs_acquire();
    for (uint32_t step = 0; step < inner; ++step) {
        matmul_block(cb_a, cb_b, step, step * columns, 0, said_transpose, columns, rows, inner);
    }
    tile_regs_commit();
    cb_pop_front(cb_a, rows * inner);
    cb_pop_front(cb_b, inner * columns);

    cb_reserve_back(cb_out, rows * columns);
    tile_regs_wait();
    pack_block(0, cb_out, rows * columns);
    tile_regs_release();
    cb_push_back(cb_out, rows * columns);
}

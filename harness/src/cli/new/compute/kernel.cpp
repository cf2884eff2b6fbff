// The product of two matrices of tiles. Every tile of the product is a sum over the tiles of a row and of a column.
// Compile-time arguments: 0 and 1 circular buffers of the matrices, 2 circular buffer of the product, 3 tiles of the product,
// 4 tiles in a row of the left matrix.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"

void kernel_main() {
    constexpr uint32_t cb_left = get_compile_time_arg_val(0);
    constexpr uint32_t cb_right = get_compile_time_arg_val(1);
    constexpr uint32_t cb_product = get_compile_time_arg_val(2);
    constexpr uint32_t tiles = get_compile_time_arg_val(3);
    constexpr uint32_t inner = get_compile_time_arg_val(4);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_left, cb_right, cb_product);
    matmul_init(cb_left, cb_right);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        // MATH has the registers of Dst, which are 0, until it commits them to PACK.
        tile_regs_acquire();
        for (uint32_t step = 0; step < inner; ++step) {
            cb_wait_front(cb_left, 1);
            cb_wait_front(cb_right, 1);
            matmul_tiles(cb_left, cb_right, 0, 0, 0);
            cb_pop_front(cb_left, 1);
            cb_pop_front(cb_right, 1);
        }
        tile_regs_commit();
        cb_reserve_back(cb_product, 1);
        tile_regs_wait();
        pack_tile(0, cb_product);
        tile_regs_release();
        cb_push_back(cb_product, 1);
    }
}

// Sums, differences or products of tiles of two circular buffers, `block` tiles in a section.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer, 3 block, 4 operation (0 sum,
// 1 difference, 2 product, 3 the sum of the two operands and of the sum before).
// Runtime arguments: 0 blocks.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr uint32_t block = get_compile_time_arg_val(3);
    constexpr uint32_t operation = get_compile_time_arg_val(4);
    const uint32_t blocks = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    if constexpr (operation == 0) {
        add_init(cb_a, cb_b);
    } else if constexpr (operation == 1) {
        sub_init(cb_a, cb_b);
    } else if constexpr (operation == 2) {
        mul_init(cb_a, cb_b);
    } else {
        add_init(cb_a, cb_b, true);
    }
    for (uint32_t done = 0; done < blocks; ++done) {
        cb_wait_front(cb_a, block);
        cb_wait_front(cb_b, block);
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < block; ++tile) {
            if constexpr (operation == 0) {
                add_tiles(cb_a, cb_b, tile, tile, tile);
            } else if constexpr (operation == 1) {
                sub_tiles(cb_a, cb_b, tile, tile, tile);
            } else if constexpr (operation == 2) {
                mul_tiles(cb_a, cb_b, tile, tile, tile);
            } else {
                add_tiles(cb_a, cb_b, tile, tile, tile);
                add_tiles(cb_a, cb_b, tile, tile, tile);
            }
        }
        tile_regs_commit();
        cb_pop_front(cb_a, block);
        cb_pop_front(cb_b, block);

        cb_reserve_back(cb_out, block);
        tile_regs_wait();
        // Backwards, and each to its place.
        for (uint32_t tile = block; tile-- > 0;) {
            pack_tile<true>(tile, cb_out, tile);
        }
        tile_regs_release();
        cb_push_back(cb_out, block);
    }
}

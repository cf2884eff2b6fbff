// Copies tiles through Dst, `block` tiles in a section.
// Compile-time arguments: 0 input and 1 output circular buffer, 2 block, 3 whether the faces 1 and 2 change
// places, 4 whether rows and columns of each face do.
// Runtime arguments: 0 blocks.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr uint32_t block = get_compile_time_arg_val(2);
    constexpr uint32_t faces = get_compile_time_arg_val(3);
    constexpr uint32_t within_faces = get_compile_time_arg_val(4);
    const uint32_t blocks = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in, faces, within_faces);
    for (uint32_t done = 0; done < blocks; ++done) {
        cb_wait_front(cb_in, block);
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < block; ++tile) {
            copy_tile(cb_in, tile, tile);
        }
        tile_regs_commit();
        cb_pop_front(cb_in, block);

        cb_reserve_back(cb_out, block);
        tile_regs_wait();
        for (uint32_t tile = 0; tile < block; ++tile) {
            pack_tile(tile, cb_out);
        }
        tile_regs_release();
        cb_push_back(cb_out, block);
    }
}

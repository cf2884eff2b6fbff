// Combines tiles of a circular buffer with tiles that Dst holds, which are those of another one: first with the tile of Dst
// as the first operand, or the second.
// Compile-time arguments: 0 circular buffer of the tiles in Dst, 1 of the others, 2 output circular buffer, 3 operation
// (0 product, 2 sum, 3 difference), 4 whether Dst has the second operand.
// Runtime arguments: 0 pairs of tiles.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr auto operation = static_cast<EltwiseBinaryType>(get_compile_time_arg_val(3));
    constexpr auto reuse = get_compile_time_arg_val(4) == 0 ? EltwiseBinaryReuseDestType::DEST_TO_SRCA
                                                            : EltwiseBinaryReuseDestType::DEST_TO_SRCB;
    const uint32_t pairs = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    for (uint32_t pair = 0; pair < pairs; ++pair) {
        cb_wait_front(cb_a, 2);
        cb_wait_front(cb_b, 2);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(cb_a);
        copy_block(cb_a, 0, 1, 2);
        if constexpr (operation == EltwiseBinaryType::ELWADD) {
            add_reuse_dest_init<reuse>(cb_b);
            add_reuse_dest_tiles<reuse>(cb_b, 0, 1);
            add_reuse_dest_tiles<reuse>(cb_b, 1, 2);
        } else if constexpr (operation == EltwiseBinaryType::ELWSUB) {
            sub_reuse_dest_init<reuse>(cb_b);
            sub_reuse_dest_tiles<reuse>(cb_b, 0, 1);
            sub_reuse_dest_tiles<reuse>(cb_b, 1, 2);
        } else {
            mul_reuse_dest_init<reuse>(cb_b);
            mul_reuse_dest_tiles<reuse>(cb_b, 0, 1);
            mul_reuse_dest_tiles<reuse>(cb_b, 1, 2);
        }
        tile_regs_commit();
        cb_pop_front(cb_a, 2);
        cb_pop_front(cb_b, 2);

        cb_reserve_back(cb_out, 2);
        tile_regs_wait();
        pack_block(1, cb_out, 2);
        tile_regs_release();
        cb_push_back(cb_out, 2);
    }
}

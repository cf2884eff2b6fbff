// The sum or difference of two tiles in the place of a copy of the first one.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer, 3 whether the second tile is subtracted, 4
// whether the result is added to the copy.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr bool subtracts = get_compile_time_arg_val(3) != 0;
    constexpr bool adds = get_compile_time_arg_val(4) != 0;

    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    cb_wait_front(cb_a, 1);
    cb_wait_front(cb_b, 1);
    tile_regs_acquire();
    copy_init(cb_a);
    copy_tile(cb_a, 0, 1);
    if constexpr (subtracts) {
        sub_init(cb_a, cb_b, adds);
        sub_tiles(cb_a, cb_b, 0, 0, 1);
    } else {
        add_init(cb_a, cb_b, adds);
        add_tiles(cb_a, cb_b, 0, 0, 1);
    }
    tile_regs_commit();
    cb_pop_front(cb_a, 1);
    cb_pop_front(cb_b, 1);
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(1, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
}

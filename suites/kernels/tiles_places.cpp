// Fills a circular buffer with copies of a tile of another one, by indices that may lie behind their ends.
// Compile-time arguments: 0 input and 1 output circular buffer, 2 way (0 from the last place on, 1 in order, 2 out of rows of a
// matrix, 3 to rows of a matrix).
// Runtime arguments: 0 the tile that is read, 1 the last place that is written, 2 pages of each circular buffer.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr uint32_t way = get_compile_time_arg_val(2);
    const uint32_t tile = get_arg_val<uint32_t>(0);
    const uint32_t last = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);

    compute_kernel_hw_startup(cb_in, cb_out);
    cb_wait_front(cb_in, pages);
    cb_reserve_back(cb_out, pages);
    if constexpr (way == 2) {
        tilize_init(cb_in, 1, cb_out);
        for (uint32_t place = 0; place <= last; ++place) {
            tilize_block(cb_in, 1, cb_out, tile, place);
        }
        tilize_uninit(cb_in, cb_out);
    } else {
        copy_init(cb_in);
        tile_regs_acquire();
        for (uint32_t place = 0; place <= last; ++place) {
            copy_tile(cb_in, tile, place);
        }
        tile_regs_commit();
        tile_regs_wait();
        if constexpr (way == 0) {
            for (uint32_t place = last + 1; place > 0; --place) {
                pack_tile<true>(place - 1, cb_out, place - 1);
            }
        } else if constexpr (way == 1) {
            for (uint32_t place = 0; place <= last; ++place) {
                pack_tile(place, cb_out);
            }
        } else {
            pack_untilize_dest_init<1>(cb_out);
            pack_untilize_dest<1>(cb_out, last + 1);
            pack_untilize_uninit(cb_out);
        }
        tile_regs_release();
    }
    cb_pop_front(cb_in, pages);
    cb_push_back(cb_out, pages);
}

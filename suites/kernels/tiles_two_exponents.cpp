// Squares tiles of two formats in turn, on the vector unit.
// Compile-time arguments: 0 and 1 input circular buffers, 2 and 3 output circular buffers, 4 whether the formats of
// SrcB stay those of the first circular buffers, which is a mistake if the exponents of the second ones have another width.
// Runtime arguments: 0 pairs of tiles.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"

template <bool SRC_A_ALONE>
ALWI void square(uint32_t cb_before, uint32_t cb_in, uint32_t cb_out) {
    if constexpr (SRC_A_ALONE) {
        reconfig_data_format_srca(cb_before, cb_in);
    } else {
        reconfig_data_format(cb_before, cb_in, cb_before, cb_in);
    }
    pack_reconfig_data_format(cb_out);
    copy_init(cb_in);
    square_tile_init();
    cb_wait_front(cb_in, 1);
    cb_reserve_back(cb_out, 1);
    tile_regs_acquire();
    copy_tile(cb_in, 0, 0);
    square_tile(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_pop_front(cb_in, 1);
    cb_push_back(cb_out, 1);
}

void kernel_main() {
    constexpr uint32_t cb_first = get_compile_time_arg_val(0);
    constexpr uint32_t cb_second = get_compile_time_arg_val(1);
    constexpr uint32_t cb_first_out = get_compile_time_arg_val(2);
    constexpr uint32_t cb_second_out = get_compile_time_arg_val(3);
    constexpr bool mistake = get_compile_time_arg_val(4) != 0;
    const uint32_t pairs = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_first, cb_first_out);
    for (uint32_t pair = 0; pair < pairs; ++pair) {
        square<mistake>(cb_second, cb_first, cb_first_out);
        square<mistake>(cb_first, cb_second, cb_second_out);
    }
}

// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-metal#56073: PACK clears its half of Dst for MATH while the packer may still read it. In the report the STALLWAIT on the
// packers is there, and reads of shared exponents go on behind it; no page of the documentation tells of that.
// Copies tiles.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles.
// Defines: ORDERED 1 waits for the packer before ZEROACC, 0 does not.

#include "shared/coprocessor.h"

using namespace coprocessor;

inline void pack(uint32_t cb_out, uint32_t tiles) {
    configure_packer();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_reserve_back(cb_out, 1);
        configure(kOutputAddress, line_of(get_local_cb_interface(cb_out).fifo_wr_ptr));
        configured(kOutputAddress);
        push(semwait_while_zero(kComputed));
        push_first_row();
        push_pack();
        if constexpr (ORDERED) {
            push(stallwait(kHoldsMatrix, kPackDone));
        }
        push(zeroacc_half(0));
        push(stallwait(kHoldsSync, kMatrixDone | kPackDone));
        push(semget(kComputed));
        finish();
        cb_push_back(cb_out, 1);
    }
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(unpack_pages(cb_in, tiles);)
    MATH(copy_tiles(tiles);)
    PACK(pack(cb_out, tiles);)
}

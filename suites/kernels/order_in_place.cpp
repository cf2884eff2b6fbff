// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-metal#9364 and tt-metal#20880: a circular buffer that the kernel works on in place. UNPACK reads what PACK has packed,
// and PACK tells before the packer is done.
// Copies tiles twice: from the input to a page, and from the page to the output.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer, 2 circular buffer of one page. Runtime arguments:
// 0 tiles.
// Defines: ORDERED 1 waits for the packer before PACK pushes the page, 0 does not.

#include "shared/coprocessor.h"

using namespace coprocessor;

// The thread of PACK tells its core that PACR is behind it.
constexpr uint32_t kPacked = 3;

inline void unpack(uint32_t cb_in, uint32_t cb_own, uint32_t tiles) {
    configure_unpackers();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        for (uint32_t step = 0; step < 2; ++step) {
            const uint32_t cb = step == 0 ? cb_in : cb_own;
            cb_wait_front(cb, 1);
            push_unpack(0, line_of(get_local_cb_interface(cb).fifo_rd_ptr));
            finish();
            cb_pop_front(cb, 1);
        }
    }
}

inline void pack(uint32_t cb_out, uint32_t cb_own, uint32_t tiles) {
    configure_packer();
    push(seminit(kPacked, 1));
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        for (uint32_t step = 0; step < 2; ++step) {
            const uint32_t cb = step == 0 ? cb_own : cb_out;
            cb_reserve_back(cb, 1);
            configure(kOutputAddress, line_of(get_local_cb_interface(cb).fifo_wr_ptr));
            configured(kOutputAddress);
            push(semwait_while_zero(kComputed));
            push_first_row();
            push_pack();
            if constexpr (ORDERED) {
                push(stallwait(kHoldsSync, kPackDone));
            }
            signal_core(kPacked);
            cb_push_back(cb, 1);
            push_packed();
        }
    }
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr uint32_t cb_own = get_compile_time_arg_val(2);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(unpack(cb_in, cb_own, tiles);)
    MATH(copy_tiles(2 * tiles);)
    PACK(pack(cb_out, cb_own, tiles);)
}

// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-metal#53412: MOVD2A moves rows of Dst to SrcA and does not wait for the bank, which an unpacker still clears for it.
// Tiles go through SrcA, Dst, SrcA again, and Dst.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles.
// Defines: ORDERED 1 puts the STALLWAIT of the mended code before the moves, 0 none.

#include "shared/coprocessor.h"

using namespace coprocessor;

inline void unpack(uint32_t cb_in, uint32_t tiles) {
    configure_unpackers();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(cb_in, 1);
        push_unpack(0, line_of(get_local_cb_interface(cb_in).fifo_rd_ptr));
        push_empty_bank(0);
        finish();
        cb_pop_front(cb_in, 1);
    }
}

inline void compute(uint32_t tiles) {
    configure_matrix();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        push(semwait_while_full(kComputed));
        push_copy(kNextTile);
        push(setrwc(1));
        if constexpr (ORDERED) {
            push(stallwait(kHoldsMatrix, kMatrixDone | kBankOfA));
        }
        for (uint32_t row = 0; row < kRows; row += 4) {
            push(movd2a(kNextTile + row, row));
        }
        push_copy(0);
        push(setrwc(1));
        push_computed();
    }
    finish();
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(unpack(cb_in, tiles);)
    MATH(compute(tiles);)
    PACK(pack_pages(cb_out, tiles);)
}

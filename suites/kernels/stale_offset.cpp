// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-metal#56945: moves to Dst add the thread's offset, which an operation before has left at its own tile. Nothing is
// unordered: the moves reach the other tile, always.
// Copies two tiles to Dst, repeats row 0 of the first 8 times in its first 8 rows, and packs both.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles, an even number.
// Defines: PINNED 1 sets the offset before the moves, 0 leaves it.

#include "shared/coprocessor.h"

using namespace coprocessor;

inline void unpack(uint32_t cb_in, uint32_t tiles) {
    configure_unpackers();
    for (uint32_t tile = 0; tile < tiles; tile += 2) {
        for (uint32_t page = 0; page < 2; ++page) {
            cb_wait_front(cb_in, 1);
            push_unpack(0, line_of(get_local_cb_interface(cb_in).fifo_rd_ptr));
            finish();
            cb_pop_front(cb_in, 1);
        }
        push_empty_bank(1);
    }
}

inline void compute(uint32_t tiles) {
    configure_matrix();
    for (uint32_t tile = 0; tile < tiles; tile += 2) {
        push(semwait_while_full(kComputed));
        for (uint32_t page = 0; page < 2; ++page) {
            push(setc16(kOffset, page * kNextTile));
            push_copy(0);
            push(setrwc(1));
        }
        if constexpr (PINNED) {
            push(setc16(kOffset, 0));
        }
        push(stallwait(kHoldsMatrix, kMatrixDone | kBankOfB));
        push(movd2b(0, 0));
        push(movb2d_row(0, 0));
        push(setrwc(2));
        push_computed();
    }
    finish();
}

inline void pack(uint32_t cb_out, uint32_t tiles) {
    configure_packer();
    for (uint32_t tile = 0; tile < tiles; tile += 2) {
        push(semwait_while_zero(kComputed));
        for (uint32_t page = 0; page < 2; ++page) {
            cb_reserve_back(cb_out, 1);
            configure(kOutputAddress, line_of(get_local_cb_interface(cb_out).fifo_wr_ptr));
            configure(kFirstRow, page * kNextTile);
            configured(kFirstRow);
            push_first_row();
            push_pack();
            push(stallwait(kHoldsSync, kPackDone));
            finish();
            cb_push_back(cb_out, 1);
        }
        push_packed();
    }
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(unpack(cb_in, tiles);)
    MATH(compute(tiles);)
    PACK(pack(cb_out, tiles);)
}

// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-metal#55106: the STALLWAIT before MOVD2B names the bank alone. ELWSUB in front of it gives a bank back when it ends, and
// until then the condition holds for that bank, not for the one that MOVD2B writes.
// Differences of tiles go through Dst, SrcB and Dst again.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer. Runtime arguments: 0 tiles.
// Defines: ORDERED 1 also waits for the matrix unit, 0 does not.

#include "shared/coprocessor.h"

using namespace coprocessor;

inline void unpack(uint32_t cb_a, uint32_t cb_b, uint32_t tiles) {
    configure_unpackers();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        push_unpack(0, line_of(get_local_cb_interface(cb_a).fifo_rd_ptr));
        push_unpack(1, line_of(get_local_cb_interface(cb_b).fifo_rd_ptr));
        push_empty_bank(1);
        finish();
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
    }
}

inline void compute(uint32_t tiles) {
    configure_matrix();
    // 8 rows on, and back to the first.
    push(setc16(kSources, 8 << 8 | 8));
    push(setc16(kDst, 8));
    push(setc16(kSecondSources, 1 << 7 | 1 << 15));
    push(setc16(kSecondDst, 1 << 11));
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        push(semwait_while_full(kComputed));
        push(kZeroaccAll);
        push(kElwsub | kNextTile);
        push(kElwsubLast | kNextTile);
        push(stallwait(kHoldsMatrix, (ORDERED ? kMatrixDone : 0) | kBankOfB));
        for (uint32_t row = 0; row < kRows; row += 4) {
            push(movd2b(kNextTile + row, row) | kSecondModifier);
        }
        for (uint32_t row = 0; row < kRows; row += 4) {
            push(movb2d(row, row) | kSecondModifier);
        }
        push(setrwc(2));
        push_computed();
    }
    finish();
}

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(unpack(cb_a, cb_b, tiles);)
    MATH(compute(tiles);)
    PACK(pack_pages(cb_out, tiles);)
}

// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// UNPACR_NOP gives the matrix unit a bank of SrcB without data, as it is. It does not wait until the matrix unit has given the
// bank back. Here UNPACK knows by a semaphore that SETRWC was issued, and not that the matrix unit is done.
// Copies tiles.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles.
// Defines: ORDERED 1 waits for the bank before UNPACR_NOP, 0 does not.

#include "shared/coprocessor.h"

using namespace coprocessor;

// MATH has given a bank back.
constexpr uint32_t kReturned = 2;
// The condition of STALLWAIT for the unpacker's bank of SrcB.
constexpr uint32_t kFreeBankOfB = 1 << 9;
constexpr uint32_t kGiveB = 0x43u << 24 | 1 << 23 | 7;

inline void unpack(uint32_t cb_in, uint32_t tiles) {
    configure_unpackers();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        // The first two banks are free.
        if (tile > 1) {
            push(semwait_while_zero(kReturned));
            push(semget(kReturned));
        }
        if constexpr (ORDERED) {
            push(stallwait(kHoldsUnpack, kFreeBankOfB));
        }
        push(kGiveB);
        cb_wait_front(cb_in, 1);
        push_unpack(0, line_of(get_local_cb_interface(cb_in).fifo_rd_ptr));
        finish();
        cb_pop_front(cb_in, 1);
    }
}

inline void compute(uint32_t tiles) {
    configure_matrix();
    push(seminit(kReturned, 1));
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        push(semwait_while_full(kComputed));
        push_copy(0);
        push(stallwait(kHoldsMatrix, kMatrixDone | kBankOfA | kBankOfB));
        push(setrwc(3));
        if (tile + 2 < tiles) {
            push(semwait_while_full(kReturned));
            push(sempost(kReturned));
        }
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

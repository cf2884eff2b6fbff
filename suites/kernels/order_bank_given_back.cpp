// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-metal#54483, which ended tt-metal#53413: UNPACK gives empty banks of both sources behind each tile, and SETRWC gives them
// back. MATH does not wait for them. On a board SETRWC came first, and UNPACK hung at the next ones. Here MATH knows by a
// semaphore that they were issued, and not that the unpackers are done.
// Copies tiles.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles.
// Defines: ORDERED 1 waits for both banks before SETRWC, as the mended code does, 0 does not.

#include "shared/coprocessor.h"

using namespace coprocessor;

// UNPACK has given both banks.
constexpr uint32_t kGiven = 2;

inline void unpack(uint32_t cb_in, uint32_t tiles) {
    configure_unpackers();
    push(seminit(kGiven, 1));
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(cb_in, 1);
        push_unpack(0, line_of(get_local_cb_interface(cb_in).fifo_rd_ptr));
        push_empty_bank(0);
        push_empty_bank(1);
        push(semwait_while_full(kGiven));
        push(sempost(kGiven));
        finish();
        cb_pop_front(cb_in, 1);
    }
}

inline void compute(uint32_t tiles) {
    configure_matrix();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        push(semwait_while_full(kComputed));
        push_copy(0);
        push(setrwc(1));
        push(semwait_while_zero(kGiven));
        if constexpr (ORDERED) {
            push(stallwait(kHoldsMatrix, kMatrixDone | kBankOfA | kBankOfB));
        }
        push(setrwc(3));
        push(semget(kGiven));
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

// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-metal#44605: REPLAY stands directly behind the SETC16 of the offset in Dst, without a macro in between. A gap of NOPs hid
// the mismatches on boards; no page of the documentation says that a gap is needed.
// Copies tiles, by turns to two places of Dst.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles.
// Defines: GAP 1 puts eight NOPs between SETC16 and REPLAY, 0 none.

#include "shared/coprocessor.h"

using namespace coprocessor;

// Records instructions, and executes them (REPLAY.md).
constexpr uint32_t replay(uint32_t count, uint32_t records) { return 0x04u << 24 | count << 4 | records; }

inline void compute(uint32_t tiles) {
    configure_matrix();
    push(replay(3, 1));
    push_copy(0);
    push(setrwc(1));
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        push(semwait_while_full(kComputed));
        push(setc16(kOffset, tile % 2 * kNextTile));
        if constexpr (GAP) {
            for (uint32_t nop = 0; nop < 8; ++nop) {
                push(kNop);
            }
        }
        push(replay(3, 0));
        push_computed();
    }
    finish();
}

inline void pack(uint32_t cb_out, uint32_t tiles) {
    configure_packer();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_reserve_back(cb_out, 1);
        configure(kOutputAddress, line_of(get_local_cb_interface(cb_out).fifo_wr_ptr));
        configure(kFirstRow, tile % 2 * kNextTile);
        configured(kFirstRow);
        push(semwait_while_zero(kComputed));
        push_first_row();
        push_pack();
        push_packed();
        finish();
        cb_push_back(cb_out, 1);
    }
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(unpack_pages(cb_in, tiles);)
    MATH(compute(tiles);)
    PACK(pack(cb_out, tiles);)
}

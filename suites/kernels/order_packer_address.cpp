// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-llk#97, which ended tt-metal#18779: the address of a second output is written while the packer may still pack the
// first, and PACR stands directly behind the WRCFG of its address.
// Copies each tile to two pages.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles.
// Defines: AWAITS_THE_PACKER: the STALLWAIT before WRCFG waits for the packer. NOP_BEHIND: NOP stands between WRCFG and PACR.

#include "shared/coprocessor.h"

using namespace coprocessor;

inline void pack(uint32_t cb_out, uint32_t tiles) {
    configure_packer();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_reserve_back(cb_out, 2);
        const LocalCBInterface& buffer = get_local_cb_interface(cb_out);
        uint32_t line = line_of(buffer.fifo_wr_ptr);
        push(semwait_while_zero(kComputed));
        for (uint32_t page = 0; page < 2; ++page) {
            push_first_row();
            push(setdmareg_low(line));
            push(setdmareg_high(line));
            push(stallwait(kHoldsConfiguration, kScalarDone | (AWAITS_THE_PACKER ? kPackDone : 0)));
            push(wrcfg(kOutputAddress));
            if constexpr (NOP_BEHIND) {
                push(kNop);
            }
            push_pack();
            line += buffer.fifo_page_size;
        }
        push_packed();
        finish();
        cb_push_back(cb_out, 2);
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

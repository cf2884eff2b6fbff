// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-metal#44077: REG2FLOP writes the address of the next output while the packer may still pack the one before.
// Copies each tile to two pages.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles.
// Defines: AWAITS_THE_PACKER: a STALLWAIT on the packer holds back REG2FLOP.

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
            push(setdmareg_low(line));
            push(setdmareg_high(line));
            if constexpr (AWAITS_THE_PACKER) {
                push(stallwait(kHoldsScalar, kPackDone));
            }
            push(reg2flop(kOutputAddress));
            push(stallwait(kHoldsPack, kScalarDone));
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

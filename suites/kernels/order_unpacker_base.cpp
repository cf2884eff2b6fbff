// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-llk#602: the core stores the base address of the second of two tiles while the first may not have been unpacked. No
// STALLWAIT holds back a store. The mended code changes the address by an instruction.
// Copies tiles, two at a time.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles, an even number.
// Defines: ORDERED 1 changes the address by an instruction behind a STALLWAIT on the unpacker, 0 by a store.

#include "shared/coprocessor.h"

using namespace coprocessor;

inline void unpack(uint32_t cb_in, uint32_t tiles) {
    configure_unpackers();
    for (uint32_t tile = 0; tile < tiles; tile += 2) {
        cb_wait_front(cb_in, 2);
        const LocalCBInterface& buffer = get_local_cb_interface(cb_in);
        const uint32_t line = line_of(buffer.fifo_rd_ptr);
        const uint32_t next = line + buffer.fifo_page_size;
        push_unpack(0, line);
#if ORDERED
        push(setdmareg_low(next));
        push(setdmareg_high(next));
#if defined(ARCH_BLACKHOLE)
        push(stallwait(kHoldsConfiguration, kScalarDone | kUnpackDone));
        push(wrcfg(kInputAddress[0]));
        push(kNop);
#else
        push(stallwait(kHoldsScalar, kUnpackDone));
        push(reg2flop(kInputAddress[0]));
        push(stallwait(kHoldsUnpack, kScalarDone));
#endif
#else
        configure(kInputAddress[0], next);
        configured(kInputAddress[0]);
#endif
        push(unpacr(0));
        finish();
        cb_pop_front(cb_in, 2);
    }
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(unpack(cb_in, tiles);)
    MATH(copy_tiles(tiles);)
    PACK(pack_pages(cb_out, tiles);)
}

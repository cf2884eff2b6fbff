// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-llk#1658, the first finding (tt-llk#1655): PACK writes the word with the mode of ReLU as a whole. The word also has the
// mode for denormals, which belongs to MATH, and no mutex keeps the two threads apart.
// Copies tiles.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles.
// Defines: ORDERED 1 writes the bits of PACK alone (RMWCIB), 0 the whole word (WRCFG). FIRST 1: PACK writes before it waits
// for a tile, so that nothing tells it what MATH has written.

#include "shared/coprocessor.h"

using namespace coprocessor;

// The bits of the word: the mode for denormals, the mode of ReLU, and the one that makes negative numbers 0.
constexpr uint32_t kKeepsDenormals = 1, kRelu = 0x3C, kZeroRelu = 1 << 2;

inline void compute(uint32_t tiles) {
    push(rmwcib0(kModes, kKeepsDenormals, kKeepsDenormals));
    copy_tiles(tiles);
}

inline void pack(uint32_t cb_out, uint32_t tiles) {
    constexpr uint32_t before = FIRST ? 0 : 1;
    pack_pages(cb_out, before);
    push(setdmareg_low(kZeroRelu));
    push(setdmareg_high(kZeroRelu));
    push(stallwait(kHoldsConfiguration, kScalarDone | kPackDone));
#if ORDERED
    push(rmwcib0(kModes, kRelu, kZeroRelu));
#else
    push(wrcfg(kModes));
    push(kNop);
#endif
    pack_pages(cb_out, tiles - before);
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(unpack_pages(cb_in, tiles);)
    MATH(compute(tiles);)
    PACK(pack(cb_out, tiles);)
}

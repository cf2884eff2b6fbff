// hallmark-only: pushes the instructions of the Tensix coprocessor itself, without TT-Metalium's low-level kernels.
// tt-metal#47338: a kernel relies on a configuration word that it does not write. The word is as the kernel before left it:
// right on one core, and wrong on another that ran a kernel with other numbers. Here the word is the packer's first row.
// Copies tiles.
// Compile-time arguments: 0 input circular buffer, 1 output circular buffer. Runtime arguments: 0 tiles.
// Defines: ROW: the row of Dst from which on the tiles are. WRITES_ROW 1 writes it to the configuration, 0 relies on it.

#include "shared/coprocessor.h"

using namespace coprocessor;

inline void pack(uint32_t cb_out, uint32_t tiles) {
    if constexpr (WRITES_ROW) {
        configure(kFirstRow, ROW);
        configured(kFirstRow);
    }
    pack_pages<false>(cb_out, tiles);
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t tiles = get_arg_val<uint32_t>(0);

    UNPACK(unpack_pages(cb_in, tiles);)
    MATH(copy_tiles(tiles, ROW);)
    PACK(pack(cb_out, tiles);)
}

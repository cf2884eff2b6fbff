// PACK: tiles of Dst into a matrix whose rows stand in L1 one behind the other.
#pragma once

#include "hallmark/pack_thread.h"

namespace hallmark {

// PACR: 16 data by one packer. The counter of faces goes to the face beside, and back; the last one ends what is packed.
inline constexpr uint32_t kPackLeft = 0x41u << 24 | 1 << 8 | 2 << 15, kPackRight = 0x41u << 24 | 1 << 8 | 3 << 15;
inline constexpr uint32_t kEndsPacking = 1;

FORCE_INLINE void begin_packing_rows() {
    packs_rows = true;
    push_now<set_thread_word(kThreadPackModifiers[2], 1 << 12)>();
    push_now<set_thread_word(kThreadPackModifiers[3], 1 << 13)>();
    push(set_row(kAllPackers, kFaceColumns));
}

FORCE_INLINE void end_packing_rows() {
    packs_rows = false;
    push(set_row(kAllPackers, kPackedAtOnce));
    push(set_input_y(kAllPackers, 0));
}

// A row of tiles of Dst to a line of L1. Rows of 32 data for each tile follow each other, or, with `stride`, begin so many
// lines behind each other.
FORCE_INLINE void pack_rows(uint32_t index, uint32_t tiles, uint32_t line, uint32_t stride) {
    HALLMARK_REQUIRE(
        packs_rows, "the packers write tiles here, and not rows of a matrix: call the init of this function before, such as "
                    "pack_untilize_dest_init");
    const uint32_t first = pack_section * kSectionTiles + index;
    for (uint32_t row = 0; row < kTileColumns; ++row) {
        if (row == 0 || stride != 0) {
            choose_pack_address(line + row * stride);
        }
        push(set_input_y(kAllPackers, row / kFaceRows * 2 * kFaceRows + row % kFaceRows));
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            const bool ends = tile + 1 == tiles && (stride != 0 || row + 1 == kTileColumns);
            push(set_tile(kAllPackers, first + tile));
            push_now<kPackLeft>();
            if (ends) {
                push_now<kPackRight | kEndsPacking>();
            } else {
                push_now<kPackRight>();
            }
        }
    }
    push(set_input_y(kAllPackers, 0));
    packing = true;
}

}  // namespace hallmark

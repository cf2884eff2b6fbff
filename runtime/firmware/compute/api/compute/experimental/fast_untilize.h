// A name for pack_untilize of whole rows of tiles, which TT-Metalium computes faster on Blackhole.
#pragma once

#include "api/compute/pack_untilize.h"

namespace ckernel {

template <uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_init(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    pack_untilize_init<full_ct_dim, full_ct_dim, is_fp32_dest_acc_en>(icb, ocb);
}

template <uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    fast_untilize_init<full_ct_dim, is_fp32_dest_acc_en>(icb, ocb);
}

// The row begins at the front, and goes to the end, of the circular buffers. On Blackhole, rows of more than one tile begin at the
// indices, and may have more tiles than a section of Dst. There, TT-Metalium has code of its own for them.
template <uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_block(uint32_t icb, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0) {
#if defined(ARCH_BLACKHOLE)
    if constexpr (full_ct_dim > 1) {
        hallmark::check_whole(icb);
        hallmark::check_rows(ocb);
        for (uint32_t tile = 0; tile < full_ct_dim; tile += hallmark::kSectionTiles) {
            const uint32_t left = full_ct_dim - tile;
            const uint32_t tiles = left < hallmark::kSectionTiles ? left : hallmark::kSectionTiles;
            tile_regs_acquire();
            copy_block(icb, input_tile_index + tile, 0, tiles);
            tile_regs_commit();
            tile_regs_wait();
            PACK((hallmark::pack_part_of_rows(ocb, tiles, full_ct_dim, output_tile_index, tile)));
            tile_regs_release();
        }
        return;
    }
#endif
    pack_untilize_block<full_ct_dim, full_ct_dim, is_fp32_dest_acc_en>(icb, 1, ocb, 0);
}

template <uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_uninit(uint32_t ocb) {
    pack_untilize_uninit<is_fp32_dest_acc_en>(ocb);
}

}  // namespace ckernel

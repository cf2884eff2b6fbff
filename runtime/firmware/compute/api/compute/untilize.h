// Names of 0.81.1 that it calls deprecated: matrices out of tiles, by the packers here.
#pragma once

#include "api/compute/pack_untilize.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void untilize_init(uint32_t icb, uint32_t call_line = __builtin_LINE()) {
    hallmark::check_whole(icb);
    copy_init(icb);
}

// A row of `full_ct_dim` tiles, `block_ct_dim` at a time, behind what was packed since the last push.
template <uint32_t block_ct_dim = 1, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void untilize_block(uint32_t icb, uint32_t full_ct_dim, uint32_t ocb) {
    hallmark::check_rows(ocb);
    hallmark::check_formats(icb, ocb);
    PACK((hallmark::begin_packing_rows()));
    for (uint32_t tile = 0; tile < full_ct_dim; tile += block_ct_dim) {
        tile_regs_acquire();
        copy_block(icb, tile, 0, block_ct_dim);
        tile_regs_commit();
        PACK({
            hallmark::wait_for_section();
            hallmark::pack_part_of_rows(ocb, block_ct_dim, full_ct_dim, hallmark::packed_tiles[ocb], tile);
            hallmark::release_section();
        })
    }
    PACK((hallmark::end_packing_rows()));
    PACK((hallmark::packed_tiles[ocb] += full_ct_dim));
}

ALWI void untilize_uninit(uint32_t icb) {}

}  // namespace ckernel

// Tiles out of matrices whose rows stand in L1 one behind the other.
#pragma once

#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#ifdef TRISC_UNPACK
#include "hallmark/unpack_rows.h"
#endif

namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_init(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    hallmark::check_rows(icb);
    hallmark::check_whole(ocb);
    hallmark::check_formats(icb, ocb);
    UNPACK((hallmark::transpose_faces(false)));
    UNPACK({
        if (hallmark::goes_to_dst(icb)) {
            hallmark::prepare_dst(icb);
        }
        hallmark::begin_rows(icb, block);
    })
    MATH((hallmark::prepare_rows<hallmark::kAllRows>()));
    MATH((hallmark::prepare_for(hallmark::operation(hallmark::Operation::kTilize))));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_init_short_with_dt(uint32_t old_icb, uint32_t new_icb, uint32_t block, uint32_t ocb) {
    reconfig_data_format_srca(old_icb, new_icb);
    tilize_init<is_fp32_dest_acc_en>(new_icb, block, ocb);
}

// The rows of 32 * `block` columns that begin with the tile `input_tile_index`, counted row by row of tiles.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_block(
    uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0) {
    hallmark::check_rows(icb);
    MATH(HALLMARK_NEEDS_INIT(hallmark::operation(hallmark::Operation::kTilize), "tilize_block", "tilize_init(icb, block, ocb)");)
    hallmark::check_whole(ocb);
    hallmark::check_formats(icb, ocb);
    UNPACK((hallmark::check_rows_are_prepared(icb, block)));
    for (uint32_t tile = 0; tile < block; ++tile) {
        UNPACK({
            const uint32_t first = input_tile_index / block * block * 32 + input_tile_index % block;
            if (hallmark::goes_to_dst(icb)) {
                hallmark::unpack_columns_to_dst(icb, first + tile, 0);
            } else {
                hallmark::unpack_columns<hallmark::kWide>(icb, first + tile);
            }
        })
        tile_regs_acquire();
        MATH((hallmark::copy_or_wait(icb, 0)));
        tile_regs_commit();
        tile_regs_wait();
        PACK((hallmark::pack_to(0, ocb, output_tile_index + tile)));
        tile_regs_release();
    }
}

ALWI void tilize_uninit(uint32_t icb, uint32_t ocb) { UNPACK((hallmark::end_rows())); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init(uint32_t icb, uint32_t full_dim, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    tilize_init<is_fp32_dest_acc_en>(icb, full_dim, ocb);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    tilize_init<is_fp32_dest_acc_en>(icb, full_dim, ocb);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init_with_dt(uint32_t icb, uint32_t full_dim, uint32_t ocb) {
    reconfig_data_format(icb, icb);
    tilize_init<is_fp32_dest_acc_en>(icb, full_dim, ocb);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init_with_dt_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb) {
    fast_tilize_init_with_dt<is_fp32_dest_acc_en>(icb, full_dim, ocb);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_block(
    uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0) {
    tilize_block<is_fp32_dest_acc_en>(icb, block, ocb, input_tile_index, output_tile_index);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_uninit(uint32_t icb, uint32_t ocb, uint32_t full_dim) {
    tilize_uninit(icb, ocb);
}

}  // namespace ckernel

// Matrices whose rows stand in L1 one behind the other, out of tiles.
#pragma once

#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "llk_defs.h"
#ifdef TRISC_PACK
#include "hallmark/pack_rows.h"
#endif

#ifdef TRISC_PACK
namespace hallmark {

// `rows` rows of `block` tiles of Dst into rows of `full` tiles, `column` blocks from their beginning.
FORCE_INLINE void pack_block_of_rows(
    uint32_t index, uint32_t cb_id, uint32_t rows, uint32_t block, uint32_t full, uint32_t column) {
    check_packing(cb_id);
    const LocalCBInterface& buffer = get_local_cb_interface(cb_id);
    const uint32_t lines = kTileColumns * bytes_in_l1(format_of(cb_id)) / 16;
    uint32_t line = buffer.fifo_wr_ptr + column * block * lines;
    const uint32_t stride = block == full ? 0 : full * lines;
    for (uint32_t row = 0; row < rows; ++row) {
        check_packed_line(buffer, line + (kTileColumns - 1) * full * lines);
        pack_rows(index + row * block, block, line, stride);
        line += full * buffer.fifo_page_size;
    }
}

// The first tiles of Dst into a row of `full` tiles, `column` tiles from its beginning. The row stands `place` tiles behind the end
// of the circular buffer.
FORCE_INLINE void pack_part_of_rows(uint32_t cb_id, uint32_t tiles, uint32_t full, uint32_t place, uint32_t column) {
    check_packing(cb_id);
    const LocalCBInterface& buffer = get_local_cb_interface(cb_id);
    const uint32_t lines = kTileColumns * bytes_in_l1(format_of(cb_id)) / 16;
    const uint32_t line = buffer.fifo_wr_ptr + buffer.fifo_page_size * place + column * lines;
    check_packed_line(buffer, line + (kTileColumns - 1) * full * lines);
    pack_rows(0, tiles, line, tiles == full ? 0 : full * lines);
}

}  // namespace hallmark
#endif

namespace ckernel {

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool narrow_row = false,
          uint32_t row_num_datums = TILE_C_DIM, bool dense = false, bool configure_remap = true,
          bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_dest_init(uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    static_assert(full_ct_dim % block_ct_dim == 0, "full_ct_dim is a multiple of block_ct_dim");
    static_assert(
        !narrow_row && row_num_datums == TILE_C_DIM && !dense, "rows of less than a tile, and dense rows, are not there");
    hallmark::check_rows(ocb);
    PACK((hallmark::change_packed_format(ocb)));
    PACK((hallmark::begin_packing_rows()));
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_init(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    hallmark::check_whole(icb);
    hallmark::check_formats(icb, ocb);
    copy_init(icb);
    pack_untilize_dest_init<block_ct_dim, full_ct_dim>(ocb);
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    pack_untilize_init<block_ct_dim, full_ct_dim>(icb, ocb);
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false, bool narrow_row = false,
          uint32_t row_num_datums = TILE_C_DIM, uint32_t tile_dst_ct_offset = 0, bool dense = false>
ALWI void pack_untilize_dest(
    uint32_t ocb, uint32_t block_rt_dim = 1, uint32_t block_c_index = 0, uint32_t tile_dst_rt_offset = 0) {
    static_assert(full_ct_dim % block_ct_dim == 0, "full_ct_dim is a multiple of block_ct_dim");
    static_assert(
        !diagonal && !narrow_row && row_num_datums == TILE_C_DIM && !dense,
        "diagonal rows, rows of less than a tile, and dense rows are not there");
    hallmark::check_rows(ocb);
    hallmark::check_tile_in_dst(tile_dst_ct_offset + tile_dst_rt_offset + block_ct_dim * block_rt_dim - 1);
    PACK((hallmark::pack_block_of_rows(
        tile_dst_ct_offset + tile_dst_rt_offset, ocb, block_rt_dim, block_ct_dim, full_ct_dim, block_c_index)));
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_block(uint32_t icb, uint32_t block_rt_dim, uint32_t ocb, uint32_t block_c_index = 0) {
    hallmark::check_whole(icb);
    for (uint32_t row = 0; row < block_rt_dim; ++row) {
        tile_regs_acquire();
        copy_block(icb, 0, 0, block_ct_dim);
        tile_regs_commit();
        PACK((hallmark::wait_for_section()));
        pack_untilize_dest<block_ct_dim, full_ct_dim>(ocb, 1, block_c_index);
        PACK((hallmark::release_section()));
    }
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_uninit(uint32_t ocb) {
    PACK((hallmark::end_packing_rows()));
    PACK((hallmark::change_packed_format(ocb)));
}

}  // namespace ckernel

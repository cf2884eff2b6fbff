// Tiles of circular buffers into Dst.
#pragma once

#include "api/compute/common.h"

namespace hallmark {

#ifdef TRISC_UNPACK
FORCE_INLINE void unpack_copied(uint32_t cb_id, uint32_t tile, uint32_t index) {
    if (goes_to_dst(cb_id)) {
        unpack_to_dst(cb_id, tile, index);
    } else {
        unpack_to_a<kWide>(cb_id, tile);
    }
}
#endif

#ifdef TRISC_MATH
// Whether the last init of copies had the faces 1 and 2 change places.
inline bool transposes_copies;

FORCE_INLINE void copy_or_wait(uint32_t cb_id, uint32_t index) {
    if (goes_to_dst(cb_id)) {
        let_unpack();
    } else {
        copy_rows(index, faces_of(cb_id));
    }
}
#endif

}  // namespace hallmark

namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_init(
    uint32_t cbid, uint32_t transpose = 0, uint32_t transpose_within_16x16_face = false,
    uint32_t call_line = __builtin_LINE()) {
    hallmark::check_operand(cbid);
    if (transpose != 0) {
        hallmark::check_whole(cbid);
    }
    if (transpose != 0 || transpose_within_16x16_face != 0) {
        hallmark::check_goes_to_source(cbid);
    }
    UNPACK((hallmark::transpose_faces(transpose_within_16x16_face != 0)));
    UNPACK({
        if (hallmark::goes_to_dst(cbid)) {
            hallmark::prepare_dst(cbid);
        }
    })
    MATH({
        if (transpose != 0) {
            hallmark::prepare_rows<hallmark::kTransposed>();
        } else {
            hallmark::prepare_rows<hallmark::kAllRows>();
        }
        hallmark::transposes_copies = transpose != 0;
    })
    MATH((hallmark::keep_denormals<true>()));
    MATH((hallmark::prepare_for(hallmark::operation(hallmark::Operation::kCopy))));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_tile(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
    MATH(HALLMARK_NEEDS_INIT(hallmark::operation(hallmark::Operation::kCopy), "copy_tile", "copy_init(icb)");)
    hallmark::check_operand(in_cb_id);
    hallmark::check_tile_in_dst(dst_tile_index);
    MATH({
        if constexpr (hallmark::kSmallTiles) {
            HALLMARK_REQUIRE(
                !hallmark::transposes_copies || hallmark::faces_of(in_cb_id) == 4,
                "the last copy_init had transpose, and only tiles of 32 by 32 are transposed: call copy_init(icb) without transpose "
                "before");
        }
    })
    UNPACK((hallmark::unpack_copied(in_cb_id, in_tile_index, dst_tile_index)));
    MATH((hallmark::copy_or_wait(in_cb_id, dst_tile_index)));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_block(uint32_t in_cb_id, uint32_t start_in_tile_index, uint32_t start_dst_tile_index, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        copy_tile(in_cb_id, start_in_tile_index + tile, start_dst_tile_index + tile);
    }
}

// Names of before that 0.81.1 still has.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_tile_init(uint32_t cbid, uint32_t call_line = __builtin_LINE()) {
    copy_init<is_fp32_dest_acc_en>(cbid);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_tile_to_dst_init_short(
    uint32_t cbid, uint32_t transpose = 0, uint32_t transpose_within_16x16_face = false,
    uint32_t call_line = __builtin_LINE()) {
    copy_init<is_fp32_dest_acc_en>(cbid, transpose, transpose_within_16x16_face);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t old_cbid, uint32_t new_cbid, uint32_t transpose = 0) {
    reconfig_data_format_srca(old_cbid, new_cbid);
    copy_init<is_fp32_dest_acc_en>(new_cbid, transpose);
}

}  // namespace ckernel

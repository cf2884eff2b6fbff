// Tiles of circular buffers into Dst.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

ALWI void copy_init(uint32_t cbid) {
    hallmark::check_operand(cbid);
    UNPACK((hallmark::transpose_faces(false)));
    MATH((hallmark::prepare_rows<hallmark::kAllRows>()));
    MATH((hallmark::keep_denormals<true>()));
}

ALWI void copy_tile(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
    hallmark::check_operand(in_cb_id);
    hallmark::check_tile_in_dst(dst_tile_index);
    UNPACK((hallmark::unpack_to_a<hallmark::kWide>(in_cb_id, in_tile_index)));
    MATH((hallmark::copy_rows(dst_tile_index)));
}

ALWI void copy_block(uint32_t in_cb_id, uint32_t start_in_tile_index, uint32_t start_dst_tile_index, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        copy_tile(in_cb_id, start_in_tile_index + tile, start_dst_tile_index + tile);
    }
}

}  // namespace ckernel

// Transposed tiles.
#pragma once

#include "api/compute/common.h"
namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void transpose_init(uint32_t icb, uint32_t call_line = __builtin_LINE()) {
    hallmark::check_numbers(icb);
    hallmark::check_whole_tiles(icb);
    UNPACK((hallmark::transpose_faces(true)));
    MATH((hallmark::prepare_rows<hallmark::kTransposed>()));
    MATH((hallmark::prepare_for(hallmark::operation(hallmark::Operation::kTranspose))));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void transpose_tile(uint32_t icb, uint32_t itile, uint32_t idst) {
    MATH(HALLMARK_NEEDS_INIT(hallmark::operation(hallmark::Operation::kTranspose), "transpose_tile", "transpose_init(icb)");)
    hallmark::check_numbers(icb);
    hallmark::check_whole_tiles(icb);
    hallmark::check_tile_in_dst(idst);
    UNPACK((hallmark::unpack_to_a<hallmark::kWide>(icb, itile)));
    MATH((hallmark::copy_rows(idst)));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void transpose_block(uint32_t icb, uint32_t start_itile, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        transpose_tile(icb, start_itile + tile, start_idst + tile);
    }
}

}  // namespace ckernel

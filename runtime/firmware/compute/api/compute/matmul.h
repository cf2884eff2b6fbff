// Products of matrices, tile by tile.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

ALWI void matmul_init(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0) {
    hallmark::check_operand(in0_cb_id);
    hallmark::check_operand(in1_cb_id);
    MATH((hallmark::prepare_matrices()));
    MATH((hallmark::keep_denormals<false>()));
}

// The product is added to Dst, which is 0 where a section begins.
ALWI void matmul_tiles(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    UNPACK((hallmark::unpack_to_both(in1_cb_id, in1_tile_index, in0_cb_id, in0_tile_index)));
    MATH((hallmark::multiply_matrices(idst)));
}

}  // namespace ckernel

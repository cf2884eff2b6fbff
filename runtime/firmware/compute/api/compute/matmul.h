// Products of matrices, tile by tile.
#pragma once

#include "api/compute/common.h"

namespace hallmark {

ALWI void multiply_tiles(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst) {
    check_matrices(in0_cb_id, in1_cb_id);
    check_tile_in_dst(idst);
    UNPACK((unpack_to_both(in1_cb_id, in1_tile_index, in0_cb_id, in0_tile_index)));
    MATH({
        const MatrixShapes shapes = shapes_of_matrices(in0_cb_id, in1_cb_id);
        if constexpr (kSmallTiles) {
            HALLMARK_REQUIRE(
                are_equal(shapes, matrix_shapes),
                "the last init of products was for tiles of other shapes: call matmul_init or matmul_block_init with these circular "
                "buffers before");
        }
        multiply_matrices(idst, shapes);
    })
}

#if defined(ARCH_WORMHOLE)
// TT-Metalium unpacks two tiles of the operand with fewer tiles in the block before the first tile of the other operand. Before each
// tile of 16 rows it clears the source register. On Wormhole the clearing waits until the matrix unit gives the register's bank back,
// and the matrix unit waits for the other operand.
ALWI void check_block(uint32_t in0, uint32_t in1, uint32_t ct_dim, uint32_t rt_dim) {
    if constexpr (kSmallTiles) {
        const bool ends = ct_dim >= rt_dim ? rt_dim < 2 || faces_below(in0 & 63) == 2
                                           : ct_dim < 2 || faces_below(in1 & 63) == 2;
        HALLMARK_REQUIRE(
            ends,
            "matmul_block would hang under TT-Metalium on Wormhole, which unpacks two tiles of one operand before the other one and "
            "cannot do so with tiles of 16 rows: call it with a ct_dim or an rt_dim of 1");
    }
}
#endif

}  // namespace hallmark

namespace ckernel {

ALWI void matmul_init(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0, uint32_t call_line = __builtin_LINE()) {
    hallmark::check_matrices(in0_cb_id, in1_cb_id);
    if (transpose != 0) {
        hallmark::check_whole_tiles(in1_cb_id);
    }
    UNPACK((hallmark::transpose_faces(transpose != 0)));
    MATH((hallmark::prepare_matrices(transpose != 0, hallmark::shapes_of_matrices(in0_cb_id, in1_cb_id))));
    MATH((hallmark::keep_denormals<false>()));
    MATH((hallmark::prepare_for(hallmark::operation(hallmark::Operation::kMatrices, 1, 1))));
}

ALWI void mm_uninit(uint32_t in0_cb_id, uint32_t in1_cb_id) {}

// The product is added to Dst, which is 0 where a section begins.
ALWI void matmul_tiles(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst) {
    MATH(HALLMARK_NEEDS_INIT(
        hallmark::operation(hallmark::Operation::kMatrices, 1, 1), "matmul_tiles", "matmul_init(in0_cb_id, in1_cb_id)");)
    hallmark::multiply_tiles(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst);
}

ALWI void matmul_block_init(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0, uint32_t ct_dim = 1, uint32_t rt_dim = 1,
    uint32_t kt_dim = 1, uint32_t call_line = __builtin_LINE()) {
    matmul_init(in0_cb_id, in1_cb_id, transpose);
    MATH((hallmark::prepare_for(hallmark::operation(hallmark::Operation::kMatrices, ct_dim, rt_dim))));
}

// A column of `rt_dim` tiles, `kt_dim` apart, times a row of `ct_dim` tiles.
ALWI void matmul_block(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst,
    uint32_t transpose, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim,
    uint32_t call_line = __builtin_LINE()) {
    MATH(HALLMARK_NEEDS_INIT(
        hallmark::operation(hallmark::Operation::kMatrices, ct_dim, rt_dim), "matmul_block",
        "matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim) with this ct_dim and rt_dim");)
#if defined(ARCH_WORMHOLE)
    hallmark::check_block(in0_cb_id, in1_cb_id, ct_dim, rt_dim);
#endif
#if defined(ARCH_BLACKHOLE)
    // TT-Metalium reads this parameter on Blackhole alone: the firmware may slow products down and up again meanwhile, and then
    // they are prepared anew, with this transpose.
    MATH(HALLMARK_REQUIRE(
        hallmark::transposes_matrix == (transpose != 0),
        "matmul_block would compute something else here, because the last matmul_block_init had another transpose: call it with "
        "this transpose before");)
#endif
    for (uint32_t row = 0; row < rt_dim; ++row) {
        for (uint32_t column = 0; column < ct_dim; ++column) {
            hallmark::multiply_tiles(
                in0_cb_id, in1_cb_id, in0_tile_index + row * kt_dim, in1_tile_index + column,
                idst + row * ct_dim + column);
        }
    }
}

}  // namespace ckernel

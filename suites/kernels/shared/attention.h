// The products of matrices in attention, for a row of tiles of queries.
#pragma once

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "made_tile.h"

// Scores are the products of queries and keys, times `scale`, the bits of a float. A row of queries has `depth` tiles, as each of
// the `keys` rows of keys has, which stay.
template <uint32_t keys, uint32_t depth>
ALWI void scores_of_row(uint32_t cb_queries, uint32_t cb_keys, uint32_t cb_scores, uint32_t scale) {
    reconfig_data_format<SrcOrder::Reverse>(cb_queries, cb_keys);
    pack_reconfig_data_format(cb_scores);
    matmul_init(cb_queries, cb_keys, 1);
    binop_with_scalar_tile_init();
    cb_wait_front(cb_queries, depth);
    for (uint32_t key = 0; key < keys; ++key) {
        make_tile(cb_scores, [&] {
            for (uint32_t step = 0; step < depth; ++step) {
                matmul_tiles(cb_queries, cb_keys, step, key * depth + step, 0);
            }
            mul_unary_tile(0, scale);
        });
    }
    cb_pop_front(cb_queries, depth);
}

// The sums of values with a row of weights. The values, which stay, have `keys` rows of `depth` tiles.
template <uint32_t keys, uint32_t depth>
ALWI void values_of_row(uint32_t cb_weights, uint32_t cb_values, uint32_t cb_out) {
    reconfig_data_format<SrcOrder::Reverse>(cb_weights, cb_values);
    pack_reconfig_data_format(cb_out);
    matmul_init(cb_weights, cb_values);
    cb_wait_front(cb_weights, keys);
    for (uint32_t column = 0; column < depth; ++column) {
        make_tile(cb_out, [&] {
            for (uint32_t key = 0; key < keys; ++key) {
                matmul_tiles(cb_weights, cb_values, key, key * depth + column, 0);
            }
        });
    }
    cb_pop_front(cb_weights, keys);
}

// The softmax of rows of numbers that stand in a row of tiles.
#pragma once

#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reduce.h"
#include "made_tile.h"

// Circular buffers of a softmax. `ones` holds a tile of ones, which stays; `largest` and `reciprocals` have room for a tile,
// and `exponentials` for a row.
struct SoftmaxBuffers {
    uint32_t in, ones, largest, exponentials, reciprocals, out;
};

// Takes a row of tiles and gives as many. The largest number of a row becomes e^0, so that no exponential is infinite.
template <uint32_t columns>
ALWI void softmax_of_row(const SoftmaxBuffers& cb) {
    reconfig_data_format(cb.in, cb.ones);
    pack_reconfig_data_format(cb.largest);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb.in, cb.ones, cb.largest);
    make_tile(cb.largest, [&] {
        for (uint32_t tile = 0; tile < columns; ++tile) {
            cb_wait_front(cb.in, tile + 1);
            reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb.in, cb.ones, tile, 0, 0);
        }
    });
    reduce_uninit(cb.in);

    reconfig_data_format(cb.in, cb.largest);
    pack_reconfig_data_format(cb.exponentials);
    sub_bcast_cols_init(cb.in, cb.largest);
    exp_tile_init();
    cb_wait_front(cb.largest, 1);
    for (uint32_t tile = 0; tile < columns; ++tile) {
        make_tile(cb.exponentials, [&] {
            sub_tiles_bcast_cols(cb.in, cb.largest, tile, 0, 0);
            exp_tile(0);
        });
    }
    cb_pop_front(cb.in, columns);
    cb_pop_front(cb.largest, 1);

    // A sum of rows has the scaling tile in SrcA.
    reconfig_data_format(cb.ones, cb.exponentials);
    pack_reconfig_data_format(cb.reciprocals);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb.exponentials, cb.ones, cb.reciprocals);
    recip_tile_init();
    make_tile(cb.reciprocals, [&] {
        for (uint32_t tile = 0; tile < columns; ++tile) {
            cb_wait_front(cb.exponentials, tile + 1);
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb.exponentials, cb.ones, tile, 0, 0);
        }
        // The sums stand in column 0.
        recip_tile(0, VectorMode::C);
    });
    reduce_uninit(cb.exponentials);

    reconfig_data_format(cb.exponentials, cb.reciprocals);
    pack_reconfig_data_format(cb.out);
    mul_bcast_cols_init(cb.exponentials, cb.reciprocals);
    cb_wait_front(cb.reciprocals, 1);
    for (uint32_t tile = 0; tile < columns; ++tile) {
        make_tile(cb.out, [&] { mul_tiles_bcast_cols(cb.exponentials, cb.reciprocals, tile, 0, 0); });
    }
    cb_pop_front(cb.exponentials, columns);
    cb_pop_front(cb.reciprocals, 1);
}

// The layer normalization of rows of tiles: (x - mean) / sqrt(variance + epsilon) * gamma + beta.
// Compile-time arguments: circular buffers of 0 a tile of weights, which are 1 / (numbers of a row), 1 gamma and 2 beta, each in row
// 0 of a row of tiles, 3 the numbers, 4 the means, 5 the numbers less their mean, 6 the squares of these, 7 the reciprocals of the
// standard deviations, 8 the normalized numbers, 9 these times gamma, 10 the output; 11 tiles of a row, 12 the bits of epsilon.
// Runtime arguments: 0 rows of tiles.

#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reduce.h"
#include "shared/made_tile.h"

constexpr uint32_t cb_weights = get_compile_time_arg_val(0);
constexpr uint32_t cb_gamma = get_compile_time_arg_val(1);
constexpr uint32_t cb_beta = get_compile_time_arg_val(2);
constexpr uint32_t cb_in = get_compile_time_arg_val(3);
constexpr uint32_t cb_mean = get_compile_time_arg_val(4);
constexpr uint32_t cb_centred = get_compile_time_arg_val(5);
constexpr uint32_t cb_squares = get_compile_time_arg_val(6);
constexpr uint32_t cb_deviation = get_compile_time_arg_val(7);
constexpr uint32_t cb_normalized = get_compile_time_arg_val(8);
constexpr uint32_t cb_scaled = get_compile_time_arg_val(9);
constexpr uint32_t cb_out = get_compile_time_arg_val(10);
constexpr uint32_t columns = get_compile_time_arg_val(11);
constexpr uint32_t epsilon = get_compile_time_arg_val(12);

// The averages of the rows in column 0 of a tile, and a function of that tile.
template <typename Function>
ALWI void average(uint32_t cb, uint32_t cb_average, Function function) {
    reconfig_data_format(cb_weights, cb);
    pack_reconfig_data_format(cb_average);
    reduce_init<PoolType::AVG, ReduceDim::REDUCE_ROW>(cb, cb_weights, cb_average);
    make_tile(cb_average, [&] {
        for (uint32_t tile = 0; tile < columns; ++tile) {
            cb_wait_front(cb, tile + 1);
            reduce_tile<PoolType::AVG, ReduceDim::REDUCE_ROW>(cb, cb_weights, tile, 0, 0);
        }
        function();
    });
    reduce_uninit(cb);
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_in, cb_weights, cb_out);
    cb_wait_front(cb_weights, 1);
    cb_wait_front(cb_gamma, columns);
    cb_wait_front(cb_beta, columns);
    for (uint32_t row = 0; row < rows; ++row) {
        average(cb_in, cb_mean, [] {});

        reconfig_data_format(cb_in, cb_mean);
        pack_reconfig_data_format(cb_centred);
        sub_bcast_cols_init(cb_in, cb_mean);
        cb_wait_front(cb_mean, 1);
        for (uint32_t tile = 0; tile < columns; ++tile) {
            make_tile(cb_centred, [&] { sub_tiles_bcast_cols(cb_in, cb_mean, tile, 0, 0); });
        }
        cb_pop_front(cb_in, columns);
        cb_pop_front(cb_mean, 1);

        reconfig_data_format(cb_centred, cb_centred);
        pack_reconfig_data_format(cb_squares);
        mul_init(cb_centred, cb_centred);
        cb_wait_front(cb_centred, columns);
        for (uint32_t tile = 0; tile < columns; ++tile) {
            make_tile(cb_squares, [&] { mul_tiles(cb_centred, cb_centred, tile, tile, 0); });
        }

        average(cb_squares, cb_deviation, [] {
            binop_with_scalar_tile_init();
            add_unary_tile(0, epsilon);
            rsqrt_tile_init();
            rsqrt_tile(0);
        });
        cb_pop_front(cb_squares, columns);

        reconfig_data_format(cb_centred, cb_deviation);
        pack_reconfig_data_format(cb_normalized);
        mul_bcast_cols_init(cb_centred, cb_deviation);
        cb_wait_front(cb_deviation, 1);
        for (uint32_t tile = 0; tile < columns; ++tile) {
            make_tile(cb_normalized, [&] { mul_tiles_bcast_cols(cb_centred, cb_deviation, tile, 0, 0); });
        }
        cb_pop_front(cb_centred, columns);
        cb_pop_front(cb_deviation, 1);

        reconfig_data_format(cb_normalized, cb_gamma);
        pack_reconfig_data_format(cb_scaled);
        mul_bcast_rows_init(cb_normalized, cb_gamma);
        cb_wait_front(cb_normalized, columns);
        for (uint32_t tile = 0; tile < columns; ++tile) {
            make_tile(cb_scaled, [&] { mul_tiles_bcast_rows(cb_normalized, cb_gamma, tile, tile, 0); });
        }
        cb_pop_front(cb_normalized, columns);

        reconfig_data_format(cb_scaled, cb_beta);
        pack_reconfig_data_format(cb_out);
        add_bcast_rows_init(cb_scaled, cb_beta);
        cb_wait_front(cb_scaled, columns);
        for (uint32_t tile = 0; tile < columns; ++tile) {
            make_tile(cb_out, [&] { add_tiles_bcast_rows(cb_scaled, cb_beta, tile, tile, 0); });
        }
        cb_pop_front(cb_scaled, columns);
    }
    cb_pop_front(cb_weights, 1);
    cb_pop_front(cb_gamma, columns);
    cb_pop_front(cb_beta, columns);
}

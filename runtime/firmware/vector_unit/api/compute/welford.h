// Means and variances of the columns of tiles in Dst: in one pass (Welford), or in two, of shifted sums and of squares.
#pragma once

#include <array>
#include <type_traits>

#include "api/compute/tile_move_copy.h"
#include "hallmark/not_computed.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/statistics.h"
#endif

namespace hallmark {

ALWI void check_statistics_rows(uint32_t first, uint32_t rows) {
    HALLMARK_REQUIRE(
        first <= kTileColumns && rows <= kTileColumns - first,
        "a tile has 32 rows: start_row and num_rows add up to 32 at most");
}

ALWI void check_group(uint32_t group) {
    HALLMARK_REQUIRE(group < 8, "a tile has the states of 8 groups: group_id is 0 to 7");
}

// The reciprocal of the number of data up to an index, by the table or without one.
template <std::size_t kSize>
FORCE_INLINE uint32_t reciprocal_of(uint32_t index, const std::array<uint32_t, kSize>& table) {
    if constexpr (kSize == 0) {
        return __builtin_bit_cast(uint32_t, 1.0f / static_cast<float>(index + 1));
    } else {
        HALLMARK_REQUIRE(index < kSize, "the table of reciprocals has no such index");
        return table[index];
    }
}

}  // namespace hallmark

namespace ckernel {

enum class WelfordInitMode : uint8_t { ClearStats, PreserveStats };
enum class TwoPassAccumulation : uint8_t { ShiftedSum, CentredM2 };
enum class TwoPassAnchor : uint8_t { Reuse, Initialise };

ALWI void welford_clear() { MATH((hallmark::clear_statistics<hallmark::kMean, hallmark::kSum>())); }

template <WelfordInitMode mode = WelfordInitMode::ClearStats>
ALWI void welford_init() {
    MATH(HALLMARK_LEAVE_BY_INIT(replays(Content::kStatistics));)
    if constexpr (mode == WelfordInitMode::ClearStats) {
        welford_clear();
    }
}

// Copies again, after another operation of the matrix unit.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void welford_reinit(uint32_t cbid, uint32_t call_line = __builtin_LINE()) {
    copy_init(cbid);
}

template <uint32_t reciprocal_size>
ALWI void welford_update_rows(
    uint32_t input_dst_idx, uint32_t start_idx, uint32_t start_row, uint32_t num_rows,
    const std::array<uint32_t, reciprocal_size>& reciprocal_lut) {
    hallmark::check_tile_in_dst(input_dst_idx);
    hallmark::check_statistics_rows(start_row, num_rows);
    MATH(HALLMARK_NEEDS_LEFT(welford_update, welford_init, replays(Content::kStatistics));)
    MATH(HALLMARK_NEEDS_STATISTIC(welford_update);)
    MATH({
        uint32_t index = start_idx;
        hallmark::add_welford_rows(
            input_dst_idx, start_row, num_rows, [&]() __attribute__((always_inline)) { return hallmark::reciprocal_of(index++, reciprocal_lut); });
    })
}

template <uint32_t reciprocal_size>
ALWI void welford_update(
    uint32_t input_dst_idx, uint32_t start_idx, const std::array<uint32_t, reciprocal_size>& reciprocal_lut) {
    welford_update_rows<reciprocal_size>(input_dst_idx, start_idx, 0, TILE_HEIGHT, reciprocal_lut);
}

ALWI void welford_save_state(uint32_t mean_dst_idx, uint32_t group_id) {
    hallmark::check_tile_in_dst(mean_dst_idx + 1);
    hallmark::check_group(group_id);
    MATH(HALLMARK_NEEDS_STATISTIC(welford_save_state);)
    MATH((hallmark::save_state(mean_dst_idx, group_id)));
}
ALWI void welford_save_state(uint32_t mean_dst_idx) { welford_save_state(mean_dst_idx, 0); }

ALWI void welford_restore_state(uint32_t mean_dst_idx, uint32_t group_id) {
    hallmark::check_tile_in_dst(mean_dst_idx + 1);
    hallmark::check_group(group_id);
    MATH((hallmark::restore_state(mean_dst_idx, group_id)));
}
ALWI void welford_restore_state(uint32_t mean_dst_idx) { welford_restore_state(mean_dst_idx, 0); }

template <std::size_t reciprocal_size>
ALWI void welford_finalize_to_row(
    uint32_t mean_dst_idx, uint32_t scale_idx, const std::array<uint32_t, reciprocal_size>& reciprocal_lut) {
    hallmark::check_tile_in_dst(mean_dst_idx + 1);
    MATH(HALLMARK_NEEDS_STATISTIC(welford_finalize_to_row);)
    MATH((hallmark::store_mean_and_variance<false, true>(
        mean_dst_idx, hallmark::reciprocal_of(scale_idx, reciprocal_lut))));
}

template <std::size_t reciprocal_size>
ALWI void welford_finalize_to_face(
    uint32_t mean_dst_idx, uint32_t group_id, uint32_t scale_idx,
    const std::array<uint32_t, reciprocal_size>& reciprocal_lut) {
    hallmark::check_tile_in_dst(mean_dst_idx + 1);
    hallmark::check_group(group_id);
    MATH(HALLMARK_NEEDS_STATISTIC(welford_finalize_to_face);)
    MATH((hallmark::store_mean_and_variance_of_group<false>(
        mean_dst_idx, group_id, hallmark::reciprocal_of(scale_idx, reciprocal_lut))));
}
template <std::size_t reciprocal_size>
ALWI void welford_finalize_to_face(
    uint32_t mean_dst_idx, uint32_t scale_idx, const std::array<uint32_t, reciprocal_size>& reciprocal_lut) {
    welford_finalize_to_face<reciprocal_size>(mean_dst_idx, 0, scale_idx, reciprocal_lut);
}

// Two passes. Scalars are the bits of floats.
ALWI void two_pass_stats_init_shifted() { MATH((hallmark::prepare_vectors())); }

ALWI void two_pass_stats_clear() {
    MATH((hallmark::clear_statistics<hallmark::kMean, hallmark::kSum, hallmark::kSecondSum>()));
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_update_rows(uint32_t input_dst_idx, uint32_t start_row, uint32_t num_rows) {
    hallmark::check_tile_in_dst(input_dst_idx);
    hallmark::check_statistics_rows(start_row, num_rows);
    MATH(HALLMARK_NEEDS_STATISTIC(two_pass_stats_update_rows);)
    MATH((hallmark::add_squares<dual_m2>(input_dst_idx, start_row, num_rows)));
}

template <TwoPassAccumulation accumulation, TwoPassAnchor anchor = TwoPassAnchor::Reuse, bool dual_accumulator = true>
ALWI void two_pass_stats_update_shifted_rows(uint32_t input_dst_idx, uint32_t start_row, uint32_t num_rows) {
    if constexpr (accumulation == TwoPassAccumulation::CentredM2) {
        two_pass_stats_update_rows<dual_accumulator>(input_dst_idx, start_row, num_rows);
    } else {
        hallmark::check_tile_in_dst(input_dst_idx);
        hallmark::check_statistics_rows(start_row, num_rows);
        if constexpr (anchor == TwoPassAnchor::Reuse) {
            MATH(HALLMARK_NEEDS_STATISTIC(two_pass_stats_update_shifted_rows);)
        }
        MATH((hallmark::add_shifted_rows<anchor == TwoPassAnchor::Initialise, dual_accumulator>(
            input_dst_idx, start_row, num_rows)));
    }
}

template <bool dual_sum = true, bool retain_anchor = false>
ALWI void two_pass_stats_finish_shifted_mean(uint32_t reciprocal_bits) {
    static_assert(!retain_anchor || dual_sum, "the anchor is kept with two sums");
    MATH(HALLMARK_NEEDS_STATISTIC(two_pass_stats_finish_shifted_mean);)
    MATH((hallmark::finish_mean<dual_sum, retain_anchor>(reciprocal_bits)));
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_save_state(uint32_t mean_dst_idx) {
    hallmark::check_tile_in_dst(mean_dst_idx + 1);
    MATH(HALLMARK_NEEDS_STATISTIC(two_pass_stats_save_state);)
    MATH((hallmark::save_joined_state<dual_m2>(mean_dst_idx)));
}

ALWI void two_pass_stats_save_anchor(uint32_t anchor_dst_idx) {
    hallmark::check_tile_in_dst(anchor_dst_idx);
    MATH(HALLMARK_NEEDS_STATISTIC(two_pass_stats_save_anchor);)
    MATH((hallmark::store_register<hallmark::kAnchor>(anchor_dst_idx, 0)));
}
ALWI void two_pass_stats_restore_anchor(uint32_t anchor_dst_idx) {
    hallmark::check_tile_in_dst(anchor_dst_idx);
    MATH((hallmark::load_register<hallmark::kAnchor>(anchor_dst_idx, 0)));
}

// Beside the state, in the vector behind that of the mean.
ALWI void two_pass_stats_save_anchor_to_state(uint32_t mean_dst_idx) {
    hallmark::check_tile_in_dst(mean_dst_idx);
    MATH(HALLMARK_NEEDS_STATISTIC(two_pass_stats_save_anchor_to_state);)
    MATH((hallmark::store_register<hallmark::kAnchor>(mean_dst_idx, hallmark::vector_of_group(1))));
}
ALWI void two_pass_stats_restore_anchor_from_state(uint32_t mean_dst_idx) {
    hallmark::check_tile_in_dst(mean_dst_idx);
    MATH((hallmark::load_register<hallmark::kAnchor>(mean_dst_idx, hallmark::vector_of_group(1))));
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_combine_block(
    uint32_t mean_dst_idx, uint32_t total_reciprocal_bits, uint32_t block_n_bits) {
    hallmark::check_tile_in_dst(mean_dst_idx + 1);
    MATH(HALLMARK_NEEDS_STATISTIC(two_pass_stats_combine_block);)
    MATH((hallmark::combine_states<dual_m2>(mean_dst_idx, total_reciprocal_bits, block_n_bits)));
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_finalize_split_mean_to_row(uint32_t mean_dst_idx, uint32_t reciprocal_bits) {
    hallmark::check_tile_in_dst(mean_dst_idx + 1);
    MATH(HALLMARK_NEEDS_STATISTIC(two_pass_stats_finalize_split_mean_to_row);)
    MATH((hallmark::store_split_mean_and_variance<dual_m2>(mean_dst_idx, reciprocal_bits)));
}

template <bool dual_m2 = true, bool store_mean = true>
ALWI void two_pass_stats_finalize_to_row(uint32_t mean_dst_idx, uint32_t reciprocal_bits) {
    hallmark::check_tile_in_dst(mean_dst_idx + 1);
    MATH(HALLMARK_NEEDS_STATISTIC(two_pass_stats_finalize_to_row);)
    MATH((hallmark::store_mean_and_variance<dual_m2, store_mean>(mean_dst_idx, reciprocal_bits)));
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_finalize_to_face(uint32_t mean_dst_idx, uint32_t group_id, uint32_t reciprocal_bits) {
    hallmark::check_tile_in_dst(mean_dst_idx + 1);
    hallmark::check_group(group_id);
    MATH(HALLMARK_NEEDS_STATISTIC(two_pass_stats_finalize_to_face);)
    MATH((hallmark::store_mean_and_variance_of_group<dual_m2>(mean_dst_idx, group_id, reciprocal_bits)));
}

template <bool dual_accumulator>
ALWI void two_pass_stats_switch_group(uint32_t mean_dst_idx, uint32_t save_group_id, uint32_t restore_group_id) {
    static_assert(!dual_accumulator, "a group's state has one sum");
    welford_save_state(mean_dst_idx, save_group_id);
    welford_restore_state(mean_dst_idx, restore_group_id);
}

HALLMARK_NOT_COMPUTED(two_pass_stats_finalize_and_combine_to_face)

}  // namespace ckernel

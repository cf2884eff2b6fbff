// Means and variances of the columns of tiles that stand one below the other, each in row 0 of a tile.
// Compile-time arguments: 0 input circular buffer, which holds all tiles, 1 output circular buffer, 2 tiles, 3 rows of the last one
// that count, 4 way.
// Runtime arguments: 0 the reciprocal of the number of rows, as a float's bits.

#include <array>
#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
// TT-Metalium's welford.h needs a header of this one.
#include "api/compute/transpose.h"
#include "api/compute/welford.h"

enum Way : uint32_t {
    // Shifted sums and squares, in two sums each, and in one.
    kTwoPasses,
    kTwoPassesOneSum,
    // In one pass, with reciprocals of a table and without.
    kOnePass,
    kOnePassWithoutTable,
    // The state goes to Dst and back behind each tile.
    kSaved,
    // Of each tile, and combined.
    kCombined,
    // The mean as an anchor in row 0 and its distance in row 16.
    kSplitMean,
    // Tiles in turn are of two groups. The results are those of the second one.
    kGroups,
};

constexpr uint32_t kTiles = get_compile_time_arg_val(2);
constexpr uint32_t kLastRows = get_compile_time_arg_val(3);
constexpr uint32_t rows_of(uint32_t tile) { return tile + 1 == kTiles ? kLastRows : 32; }

constexpr uint32_t bits_of_reciprocal(uint32_t number) { return __builtin_bit_cast(uint32_t, 1.0f / static_cast<float>(number)); }

constexpr std::array<uint32_t, 32 * kTiles> reciprocals() {
    std::array<uint32_t, 32 * kTiles> table{};
    for (uint32_t index = 0; index < 32 * kTiles; ++index) {
        table[index] = bits_of_reciprocal(index + 1);
    }
    return table;
}
constexpr std::array<uint32_t, 32 * kTiles> kReciprocals = reciprocals();
constexpr std::array<uint32_t, 0> kNoTable{};

// Tiles of Dst: the first one of the state, that of the anchor, that of a group's vectors, and that of the results.
constexpr uint32_t kState = 1, kAnchorTile = 3, kFace = 6;
constexpr uint32_t kResult = get_compile_time_arg_val(4) == kGroups ? 4 : kState;

template <bool TWO>
void compute_in_two_passes(uint32_t cb_in, uint32_t reciprocal) {
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        copy_tile(cb_in, tile, 0);
        if (tile == 0) {
            two_pass_stats_update_shifted_rows<TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Initialise, TWO>(0, 0, rows_of(tile));
        } else {
            // In two parts, whose border is in a block of four rows.
            two_pass_stats_update_shifted_rows<TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Reuse, TWO>(0, 0, 6);
            two_pass_stats_update_shifted_rows<TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Reuse, TWO>(0, 6, rows_of(tile) - 6);
        }
    }
    two_pass_stats_finish_shifted_mean<TWO>(reciprocal);
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        copy_tile(cb_in, tile, 0);
        two_pass_stats_update_rows<TWO>(0, 0, 7);
        two_pass_stats_update_shifted_rows<TwoPassAccumulation::CentredM2, TwoPassAnchor::Reuse, TWO>(0, 7, rows_of(tile) - 7);
    }
    two_pass_stats_finalize_to_row<TWO>(kState, reciprocal);
}

// Of one tile: the mean, and the sum of squares.
void compute_tile(uint32_t cb_in, uint32_t tile, uint32_t reciprocal) {
    copy_tile(cb_in, tile, 0);
    two_pass_stats_update_shifted_rows<TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Initialise>(0, 0, rows_of(tile));
    two_pass_stats_finish_shifted_mean<true, true>(reciprocal);
    two_pass_stats_update_rows(0, 0, rows_of(tile));
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr Way way = static_cast<Way>(get_compile_time_arg_val(4));
    const uint32_t reciprocal = get_arg_val<uint32_t>(0);
    constexpr uint32_t last = 32 * (kTiles - 1) + kLastRows - 1;

    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in);
    cb_wait_front(cb_in, kTiles);
    tile_regs_acquire();
    if constexpr (way == kTwoPasses || way == kTwoPassesOneSum) {
        two_pass_stats_init_shifted();
        compute_in_two_passes<way == kTwoPasses>(cb_in, reciprocal);
    } else if constexpr (way == kOnePass || way == kOnePassWithoutTable) {
        welford_init();
        for (uint32_t tile = 0; tile < kTiles; ++tile) {
            copy_tile(cb_in, tile, 0);
            if constexpr (way == kOnePass) {
                welford_update_rows<32 * kTiles>(0, 32 * tile, 0, rows_of(tile), kReciprocals);
            } else {
                welford_update_rows<0>(0, 32 * tile, 0, rows_of(tile), kNoTable);
            }
        }
        welford_finalize_to_row<32 * kTiles>(kState, last, kReciprocals);
    } else if constexpr (way == kSaved) {
        welford_init();
        for (uint32_t tile = 0; tile < kTiles; ++tile) {
            if (tile > 0) {
                welford_init();
                welford_restore_state(kState);
            }
            copy_tile(cb_in, tile, 0);
            welford_update<32 * kTiles>(0, 32 * tile, kReciprocals);
            welford_save_state(kState);
        }
        welford_finalize_to_row<32 * kTiles>(kState, last, kReciprocals);
    } else if constexpr (way == kCombined) {
        two_pass_stats_init_shifted();
        for (uint32_t tile = 0; tile < kTiles; ++tile) {
            compute_tile(cb_in, tile, bits_of_reciprocal(32));
            if (tile == 0) {
                two_pass_stats_save_state(kState);
            } else {
                two_pass_stats_combine_block(kState, kReciprocals[32 * (tile + 1) - 1], 0x42000000);
            }
        }
        two_pass_stats_clear();
        welford_restore_state(kState);
        two_pass_stats_finalize_to_row(kState, reciprocal);
    } else if constexpr (way == kSplitMean) {
        two_pass_stats_init_shifted();
        compute_tile(cb_in, 0, reciprocal);
        two_pass_stats_save_anchor(kAnchorTile);
        two_pass_stats_restore_anchor(kAnchorTile);
        two_pass_stats_save_anchor_to_state(kFace);
        two_pass_stats_restore_anchor_from_state(kFace);
        two_pass_stats_finalize_split_mean_to_row(kState, reciprocal);
    } else {
        welford_init();
        welford_save_state(kState, 1);
        for (uint32_t tile = 0; tile < kTiles; ++tile) {
            copy_tile(cb_in, tile, 0);
            welford_update<32 * kTiles>(0, tile / 2 * 32, kReciprocals);
            two_pass_stats_switch_group<false>(kState, tile % 2, (tile + 1) % 2);
        }
        // The second group.
        welford_restore_state(kState, 1);
        welford_finalize_to_face<32 * kTiles>(kFace, 1, 32 * (kTiles / 2) - 1, kReciprocals);
        // Its sum of squares is the variance now.
        welford_restore_state(kFace, 1);
        welford_finalize_to_row<32 * kTiles>(kResult, 0, kReciprocals);
    }
    tile_regs_commit();
    cb_pop_front(cb_in, kTiles);
    cb_reserve_back(cb_out, 2);
    tile_regs_wait();
    pack_tile(kResult, cb_out);
    pack_tile(kResult + 1, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 2);
}

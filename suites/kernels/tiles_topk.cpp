// Sorts the columns of two tiles that stand one below the other, or the best data alone, and with them the tiles of a second
// circular buffer.
// Compile-time arguments: 0 data, 1 indices, 2 data out, 3 indices out, all circular buffers, of which the first two hold two tiles
// each; 4 way, 5 whether the smallest data come first, 6 how ties are decided (TopkTieOrder; 0 as they fall), 7 the logarithm of
// the number of best data, 8 tiles that go out of each two.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/topk.h"

enum Way : uint32_t {
    // Phase by phase, in one call.
    kSort,
    // The first phases in one call, and the last ones step by step.
    kSortInParts,
    // Runs of as many data as are wanted, which are merged until one is left.
    kBest,
    // The last phase without its first step, alone: what is 32 places apart is not compared.
    kWithoutFirstStep,
};

constexpr auto kWay = static_cast<Way>(get_compile_time_arg_val(4));
constexpr bool kAscends = get_compile_time_arg_val(5) != 0;
constexpr auto kTies = static_cast<TopkTieOrder>(get_compile_time_arg_val(6));
constexpr bool kIsStable = kTies != TopkTieOrder::Unset;
constexpr uint32_t kLogBest = get_compile_time_arg_val(7);
constexpr uint32_t kTiles = get_compile_time_arg_val(8);

void sort_phases(int last, int first = 0, int last_step = 0, int first_step = 0) {
    topk_local_sort<kIsStable, DST_ACCUM_MODE, false, false, kTies>(0, kAscends, last, first, last_step, first_step);
}

void sort() {
    if constexpr (kWay == kSort) {
        sort_phases(5);
    } else if constexpr (kWay == kSortInParts) {
        sort_phases(3);
        // Behind the steps that are chosen, a phase does all the smaller ones.
        sort_phases(4, 4, 4, 5);
        sort_phases(5, 5, 4, 6);
    } else if constexpr (kWay == kWithoutFirstStep) {
        sort_phases(5, 5, 4, 5);
    } else {
        constexpr int merges = 6 - kLogBest;
        constexpr int best = 1 << kLogBest;
        sort_phases(kLogBest - 1);
        for (int merge = 0; merge < merges; ++merge) {
            topk_merge<kAscends, kIsStable, DST_ACCUM_MODE, false, false, kTies>(0, merge, best);
            topk_rebuild<kIsStable, DST_ACCUM_MODE, false, false, kTies>(0, kAscends, merge, best, kLogBest, merge + 1 == merges);
        }
    }
}

void pack(uint32_t first, uint32_t cb_id) {
    cb_reserve_back(cb_id, kTiles);
    pack_reconfig_data_format(cb_id);
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        pack_tile(first + tile, cb_id);
    }
    cb_push_back(cb_id, kTiles);
}

void kernel_main() {
    constexpr uint32_t cb_data = get_compile_time_arg_val(0);
    constexpr uint32_t cb_indices = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr uint32_t cb_indices_out = get_compile_time_arg_val(3);

    compute_kernel_hw_startup(cb_data, cb_out);
    topk_tile_init();
    cb_wait_front(cb_data, 2);
    cb_wait_front(cb_indices, 2);
    tile_regs_acquire();
    copy_init(cb_data);
    copy_tile(cb_data, 0, 0);
    copy_tile(cb_data, 1, 1);
    reconfig_data_format_srca(cb_data, cb_indices);
    copy_init(cb_indices);
    copy_tile(cb_indices, 0, 2);
    copy_tile(cb_indices, 1, 3);
    topk_canonicalize_negzero_values(0);
    sort();
    tile_regs_commit();
    cb_pop_front(cb_data, 2);
    cb_pop_front(cb_indices, 2);

    tile_regs_wait();
    pack(0, cb_out);
    pack(2, cb_indices_out);
    tile_regs_release();
}

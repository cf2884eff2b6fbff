// Columns of 64 data, in two tiles of Dst, are sorted, and their indices in the next two tiles with them.
#pragma once

#include <cstdint>

#include "hallmark/not_computed.h"
#ifdef TRISC_MATH
#include "hallmark/sorting.h"
#endif

namespace ckernel {

enum class TopkTieOrder : uint8_t { Unset, Ascending, Descending };

constexpr TopkTieOrder topk_tie_order_from_global_direction(bool descending) {
    return descending ? TopkTieOrder::Descending : TopkTieOrder::Ascending;
}

}  // namespace ckernel

namespace hallmark {

#ifdef TRISC_MATH
// Equal data descend or ascend by their indices as the sorted data do, so that the smaller index comes first in both cases.
template <bool kIsStable, ckernel::TopkTieOrder kOrder>
inline constexpr Ties kTies = !kIsStable                                    ? Ties::kAsTheyFall
                              : kOrder == ckernel::TopkTieOrder::Descending ? Ties::kIndexDescends
                                                                           : Ties::kIndexAscends;
#endif

template <bool kIsStable, bool kIsFused, bool kIsStamped, ckernel::TopkTieOrder kOrder>
ALWI void check_sorting(uint32_t idst) {
    static_assert(!kIsFused && !kIsStamped, "data with an index or a rank in their lower bits are not there: use stable_sort");
    static_assert(
        !kIsStable || kOrder != ckernel::TopkTieOrder::Unset,
        "stable_sort takes a tie_order: Descending for the largest data first, Ascending for the smallest");
    HALLMARK_REQUIRE(idst == 0, "the functions of topk.h work on the tiles 0 to 3 of Dst: idst is 0");
}

ALWI void check_run(int k) {
    HALLMARK_REQUIRE(k == 4 || k == 8 || k == 16 || k == 32 || k == 64, "k is 4, 8, 16, 32 or 64");
}

}  // namespace hallmark

namespace ckernel {

template <bool fused = false, bool rank_stamped = false, std::uint32_t tag_bits = 16>
ALWI void topk_tile_init() {
    static_assert(
        !fused && !rank_stamped, "data with an index or a rank in their lower bits are not there: use stable_sort");
    MATH(HALLMARK_LEAVE_BY_INIT(sorting_program());)
}

template <bool stable_sort = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fused = false, bool rank_stamped = false,
          TopkTieOrder tie_order = TopkTieOrder::Unset>
ALWI void topk_local_sort(
    uint32_t idst, int idir, int i_end_phase, int i_start_phase = 0, int i_end_step = 0, int i_start_step = 0) {
    hallmark::check_sorting<stable_sort, fused, rank_stamped, tie_order>(idst);
    HALLMARK_REQUIRE(
        i_start_phase >= 0 && i_start_phase <= i_end_phase && i_end_phase <= 5,
        "a column of 64 data is sorted in the phases 0 to 5: i_start_phase is not behind i_end_phase, which is 5 at most");
    HALLMARK_REQUIRE(
        i_start_phase != i_end_phase || i_start_step <= i_end_step || (i_end_step >= 4 && i_start_step <= 6),
        "of the steps of one phase, 6 and 5 may be chosen: i_start_step is 6 at most, and i_end_step, which is not done, 4 at least");
    MATH(HALLMARK_NEEDS_LEFT(topk_local_sort, topk_tile_init, sorting_program());)
    MATH({
        hallmark::begin_numbered(0);
        hallmark::sort_places<hallmark::kTies<stable_sort, tie_order>>(
            idir != 0, i_start_phase, i_end_phase, i_start_step, i_end_step);
        hallmark::end_numbered();
    })
    MATH(HALLMARK_LEAVE(replays(Content::kOther));)
}

template <bool idir = false, bool stable_sort = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fused = false,
          bool rank_stamped = false, TopkTieOrder tie_order = TopkTieOrder::Unset, std::uint32_t tag_bits = 16>
ALWI void topk_merge(uint32_t idst, int m_iter, int k) {
    hallmark::check_sorting<stable_sort, fused, rank_stamped, tie_order>(idst);
    hallmark::check_run(k);
    MATH(HALLMARK_NEEDS_LEFT(topk_merge, topk_tile_init, sorting_program());)
    MATH({
        hallmark::begin_numbered(0);
        hallmark::merge_places<hallmark::kTies<stable_sort, tie_order>, idir>(m_iter, k);
        hallmark::end_numbered();
    })
    MATH(HALLMARK_LEAVE(replays(Content::kOther));)
}

template <bool stable_sort = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE, bool fused = false, bool rank_stamped = false,
          TopkTieOrder tie_order = TopkTieOrder::Unset>
ALWI void topk_rebuild(uint32_t idst, bool idir, int m_iter, int k, int logk, int skip_second) {
    hallmark::check_sorting<stable_sort, fused, rank_stamped, tie_order>(idst);
    hallmark::check_run(k);
    HALLMARK_REQUIRE(1 << logk == k, "logk is the logarithm of k to base 2");
    MATH(HALLMARK_NEEDS_LEFT(topk_rebuild, topk_tile_init, sorting_program());)
    MATH({
        hallmark::begin_numbered(0);
        hallmark::rebuild_places<hallmark::kTies<stable_sort, tie_order>>(idir, m_iter, k, (skip_second & 1) != 0);
        hallmark::end_numbered();
    })
    MATH(HALLMARK_LEAVE(replays(Content::kOther));)
}

// -0 in both tiles of data becomes 0, so that it is equal to it. TT-Metalium does so in a Dst of 32 bits alone, because its copies
// into one of 16 bits leave no -0; those of Hallmark do.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void topk_canonicalize_negzero_values(uint32_t idst) {
    HALLMARK_REQUIRE(idst == 0, "the functions of topk.h work on the tiles 0 to 3 of Dst: idst is 0");
    MATH({
        constexpr sfpi::DataLayout layout = hallmark::kWide ? sfpi::DataLayout::I32 : sfpi::DataLayout::U16;
        using Positive = hallmark::WithoutNegativeZero<hallmark::kWide ? 32 : 16>;
        const uint32_t left = hallmark::left_registers;
        hallmark::map_integers<Positive, layout>(0);
        hallmark::map_integers<Positive, layout>(1);
        if constexpr (hallmark::kWide) {
            HALLMARK_LEAVE(constant(0, Content::kOther));
        } else {
            hallmark::left_registers = left;
        }
    })
}

// Of data of uint16 in a Dst of 32 bits, which are not there. With other data it does nothing.
ALWI void topk_uint16_prepare_value_tile_for_pack(uint32_t idst) {
#if defined(TOPK_UINT16_FP32_DEST) && TOPK_UINT16_FP32_DEST
#error "TOPK_UINT16_FP32_DEST: tiles of uint16 need a Dst of 16 bits"
#endif
}

HALLMARK_NOT_COMPUTED(topk_fuse_tile)
HALLMARK_NOT_COMPUTED(topk_defuse_tile)
HALLMARK_NOT_COMPUTED(topk_stamp_local_positions)
HALLMARK_NOT_COMPUTED(topk_stamp_tile_rank_range)
HALLMARK_NOT_COMPUTED(topk_strip_rank_tags)
HALLMARK_NOT_COMPUTED(topk_finalize_uint16_indices)
HALLMARK_NOT_COMPUTED(topk_uint16_move_dest_tile_to_pack_half)

}  // namespace ckernel

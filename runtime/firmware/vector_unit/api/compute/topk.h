// Functions that are not computed yet.
#pragma once

#include "hallmark/not_computed.h"

namespace ckernel {

enum class TopkTieOrder : uint8_t { Unset, Ascending, Descending };

constexpr TopkTieOrder topk_tie_order_from_global_direction(bool descending) {
    return descending ? TopkTieOrder::Descending : TopkTieOrder::Ascending;
}

HALLMARK_NOT_COMPUTED(topk_local_sort)
HALLMARK_NOT_COMPUTED(topk_merge)
HALLMARK_NOT_COMPUTED(topk_rebuild)
HALLMARK_NOT_COMPUTED(topk_tile_init)
HALLMARK_NOT_COMPUTED(topk_fuse_tile)
HALLMARK_NOT_COMPUTED(topk_defuse_tile)
HALLMARK_NOT_COMPUTED(topk_stamp_local_positions)
HALLMARK_NOT_COMPUTED(topk_stamp_tile_rank_range)
HALLMARK_NOT_COMPUTED(topk_canonicalize_negzero_values)
HALLMARK_NOT_COMPUTED(topk_strip_rank_tags)
HALLMARK_NOT_COMPUTED(topk_finalize_uint16_indices)
HALLMARK_NOT_COMPUTED(topk_uint16_prepare_value_tile_for_pack)
HALLMARK_NOT_COMPUTED(topk_uint16_move_dest_tile_to_pack_half)

}  // namespace ckernel

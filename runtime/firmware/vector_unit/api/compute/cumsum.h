// Sums of the columns of tiles, from the first row on. The sums go on from tile to tile.
#pragma once

#include <type_traits>

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/running_sums.h"
#endif

namespace ckernel {

ALWI void cumsum_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(replays(Content::kRunningSums));) }

ALWI void cumsum_tile(uint32_t idst, bool first = true) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(cumsum_tile, cumsum_tile_init, replays(Content::kRunningSums));)
    MATH(HALLMARK_NEEDS_REGISTERS(
        first || is_left(upper_registers(Content::kRunningSums)),
        "cumsum_tile with `first` false continues from the sums of the cumsum_tile before");)
    MATH((hallmark::add_up_rows(idst, first)));
    MATH(HALLMARK_LEAVE(upper_registers(Content::kRunningSums));)
}

}  // namespace ckernel

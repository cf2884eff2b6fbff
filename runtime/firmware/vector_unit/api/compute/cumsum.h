// Sums of the columns of tiles, from the first row on. The sums go on from tile to tile.
#pragma once

#include <type_traits>

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/running_sums.h"
#endif

namespace ckernel {

ALWI void cumsum_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void cumsum_tile(uint32_t idst, bool first = true) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::add_up_rows(idst, first)));
}

}  // namespace ckernel

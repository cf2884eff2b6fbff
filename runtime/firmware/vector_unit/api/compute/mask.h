// Tiles of which another tile chooses the data.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/mask.h"
#endif

namespace ckernel {

ALWI void mask_tile_init() { MATH((hallmark::prepare_vectors())); }

// The mask stands in the tile behind that of the data, as upstream: `idst2_mask` says so, and no more.
ALWI void mask_tile(uint32_t idst_data, uint32_t idst2_mask, DataFormat data_format = DataFormat::Float16_b) {
    hallmark::check_tile_in_dst(idst_data + 1);
    MATH({
        if (data_format == DataFormat::Int32) {
            hallmark::combine_integers<hallmark::Mask, sfpi::DataLayout::I32>(idst_data, idst_data + 1, idst_data);
        } else {
            hallmark::combine_tiles<hallmark::Mask>(idst_data, idst_data + 1, idst_data);
        }
    })
}

// Infinity where the mask is 0.
ALWI void mask_posinf_tile(uint32_t idst_data, uint32_t idst2_mask) {
    hallmark::check_tile_in_dst(idst_data + 1);
    MATH((hallmark::combine_tiles<hallmark::MaskToInfinity>(idst_data, idst_data + 1, idst_data)));
}

}  // namespace ckernel

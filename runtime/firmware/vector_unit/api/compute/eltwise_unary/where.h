// Of two tiles, data that a third one chooses.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void where_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(macro_program(Content::kChoice));) }

// The datum of tile `idst1` where that of `idst0` is not 0, or is -0, and that of `idst2` elsewhere.
template <DataFormat data_format>
ALWI void where_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    static_assert(
        hallmark::is_integer_of_32_bits(data_format) || hallmark::is_float(data_format), "Int32, UInt32 or a float");
    static_assert(
        data_format != (hallmark::kWide ? DataFormat::Float16_b : DataFormat::Float32),
        "a number in Dst has 32 bits with fp32_dest_acc_en, for Float32, and 16 without, for Float16_b");
    hallmark::check_tiles_in_dst(idst0, idst1, idst2);
    hallmark::check_tile_in_dst(odst);
    MATH(HALLMARK_NEEDS_LEFT(where_tile, where_tile_init, macro_program(Content::kChoice));)
    MATH({
        if constexpr (hallmark::is_float(data_format)) {
            hallmark::choose_data<hallmark::DataLayout::FSrcB>(idst0, idst1, idst2, odst);
        } else {
            hallmark::choose_data<hallmark::DataLayout::I32>(idst0, idst1, idst2, odst);
        }
    })
    MATH(HALLMARK_LEAVE(replays(Content::kOther));)
}

}  // namespace ckernel

// Comparisons of integers: 1 where they hold, and 0 elsewhere.
#pragma once

#include "hallmark/not_computed.h"
#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

template <DataFormat data_format>
ALWI void ne_int_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

template <DataFormat data_format>
ALWI void ne_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(ne_int_tile, ne_int_tile_init, comparison_program());)
    MATH((hallmark::combine_integers<hallmark::ComparedIntegers<hallmark::Order::NotEqual, data_format == DataFormat::UInt32>, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

template <DataFormat data_format>
ALWI void eq_int_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

template <DataFormat data_format>
ALWI void eq_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(eq_int_tile, eq_int_tile_init, comparison_program());)
    MATH((hallmark::combine_integers<hallmark::ComparedIntegers<hallmark::Order::Equal, data_format == DataFormat::UInt32>, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

template <DataFormat data_format>
ALWI void gt_int_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

template <DataFormat data_format>
ALWI void gt_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(gt_int_tile, gt_int_tile_init, comparison_program());)
    MATH((hallmark::combine_integers<hallmark::ComparedIntegers<hallmark::Order::Greater, data_format == DataFormat::UInt32>, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

template <DataFormat data_format>
ALWI void ge_int_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

template <DataFormat data_format>
ALWI void ge_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(ge_int_tile, ge_int_tile_init, comparison_program());)
    MATH((hallmark::combine_integers<hallmark::ComparedIntegers<hallmark::Order::GreaterOrEqual, data_format == DataFormat::UInt32>, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

template <DataFormat data_format>
ALWI void lt_int_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

template <DataFormat data_format>
ALWI void lt_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(lt_int_tile, lt_int_tile_init, comparison_program());)
    MATH((hallmark::combine_integers<hallmark::ComparedIntegers<hallmark::Order::Less, data_format == DataFormat::UInt32>, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

template <DataFormat data_format>
ALWI void le_int_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

template <DataFormat data_format>
ALWI void le_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(hallmark::fits_dst(data_format), "Int32 or UInt32 with fp32_dest_acc_en, or UInt16 without");
    hallmark::check_tiles_in_dst(idst0, idst1, odst);
    MATH(HALLMARK_NEEDS_LEFT(le_int_tile, le_int_tile_init, comparison_program());)
    MATH((hallmark::combine_integers<hallmark::ComparedIntegers<hallmark::Order::LessOrEqual, data_format == DataFormat::UInt32>, hallmark::layout_of(data_format)>(
        idst0, idst1, odst)));
}

HALLMARK_NOT_COMPUTED(rel_int_tile_dispatch)
HALLMARK_NOT_COMPUTED(eq_int_tile_dispatch)

}  // namespace ckernel

// 1 for 0, and 0 for other numbers.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void logical_not_tile_init() { MATH((hallmark::prepare_vectors())); }

template <DataFormat kDataFormat>
ALWI void logical_not_tile(uint32_t idst) {
    static_assert(
        hallmark::is_integer_of_32_bits(kDataFormat) || hallmark::is_float(kDataFormat), "Int32, UInt32 or a float");
    hallmark::check_tile_in_dst(idst);
    MATH({
        if constexpr (hallmark::is_float(kDataFormat)) {
            hallmark::map_tile_exactly<hallmark::ComparedToZero<hallmark::Order::Equal>>(idst, VectorMode::RC);
        } else {
            hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::Equal>, hallmark::DataLayout::I32>(
                idst);
        }
    })
}

}  // namespace ckernel

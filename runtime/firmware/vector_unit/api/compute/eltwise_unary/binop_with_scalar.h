// Sums, differences and products with a scalar, the bits of a float. The host gives a divisor as its reciprocal.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/arithmetic.h"
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void binop_with_scalar_tile_init() { MATH((hallmark::prepare_vectors())); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_unary_tile(uint32_t idst, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::SumWithScalar>(idst, VectorMode::RC, param1)));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_unary_tile(uint32_t idst, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::DifferenceFromScalar>(idst, VectorMode::RC, param1)));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_unary_tile(uint32_t idst, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::ProductWithScalar>(idst, VectorMode::RC, param1)));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void div_unary_tile(uint32_t idst, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::ProductWithScalar>(idst, VectorMode::RC, param1)));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void rsub_unary_tile(uint32_t idst, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile<hallmark::ScalarLess>(idst, VectorMode::RC, param1)));
}

ALWI void add_unary_tile_int32(uint32_t idst, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::Sum>, hallmark::DataLayout::I32>(idst, param1)));
}

ALWI void sub_unary_tile_int32(uint32_t idst, uint32_t param1) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::Difference>, hallmark::DataLayout::I32>(idst, param1)));
}

}  // namespace ckernel

// Comparisons with a scalar and with 0: 1 where they hold, and 0 elsewhere.
#pragma once

#include "hallmark/vector_functions.h"
#ifdef TRISC_MATH
#include "hallmark/integers.h"
#endif

namespace ckernel {

ALWI void unary_ne_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void unary_ne_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToScalar<hallmark::Order::NotEqual>>(
        idst, VectorMode::RC, param0)));
}

ALWI void unary_ne_tile_int32(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ComparedIntegers<hallmark::Order::NotEqual>>, hallmark::DataLayout::I32>(
        idst, param0)));
}

ALWI void unary_eq_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void unary_eq_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToScalar<hallmark::Order::Equal>>(
        idst, VectorMode::RC, param0)));
}

ALWI void unary_eq_tile_int32(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ComparedIntegers<hallmark::Order::Equal>>, hallmark::DataLayout::I32>(
        idst, param0)));
}

ALWI void unary_gt_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void unary_gt_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToScalar<hallmark::Order::Greater>>(
        idst, VectorMode::RC, param0)));
}

ALWI void unary_gt_tile_int32(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ComparedIntegers<hallmark::Order::Greater>>, hallmark::DataLayout::I32>(
        idst, param0)));
}

ALWI void unary_ge_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void unary_ge_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToScalar<hallmark::Order::GreaterOrEqual>>(
        idst, VectorMode::RC, param0)));
}

ALWI void unary_ge_tile_int32(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ComparedIntegers<hallmark::Order::GreaterOrEqual>>, hallmark::DataLayout::I32>(
        idst, param0)));
}

ALWI void unary_lt_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void unary_lt_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToScalar<hallmark::Order::Less>>(idst, VectorMode::RC, param0)));
}

ALWI void unary_lt_tile_int32(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ComparedIntegers<hallmark::Order::Less>>, hallmark::DataLayout::I32>(
        idst, param0)));
}

ALWI void unary_le_tile_init() { MATH((hallmark::prepare_vectors())); }

ALWI void unary_le_tile(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToScalar<hallmark::Order::LessOrEqual>>(
        idst, VectorMode::RC, param0)));
}

ALWI void unary_le_tile_int32(uint32_t idst, uint32_t param0) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::WithScalar<hallmark::ComparedIntegers<hallmark::Order::LessOrEqual>>, hallmark::DataLayout::I32>(
        idst, param0)));
}

ALWI void gtz_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void gtz_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(gtz_tile, gtz_tile_init, comparison_program());)
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToZero<hallmark::Order::Greater>>(idst, VectorMode::RC)));
}

ALWI void gtz_tile_int32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::Greater>, hallmark::DataLayout::I32>(
        idst)));
}

ALWI void nez_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void nez_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(nez_tile, nez_tile_init, comparison_program());)
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToZero<hallmark::Order::NotEqual>>(idst, VectorMode::RC)));
}

ALWI void nez_tile_int32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::NotEqual>, hallmark::DataLayout::I32>(
        idst)));
}

ALWI void gez_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void gez_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(gez_tile, gez_tile_init, comparison_program());)
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToZero<hallmark::Order::GreaterOrEqual>>(idst, VectorMode::RC)));
}

ALWI void gez_tile_int32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::GreaterOrEqual>, hallmark::DataLayout::I32>(
        idst)));
}

ALWI void ltz_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void ltz_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(ltz_tile, ltz_tile_init, comparison_program());)
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToZero<hallmark::Order::Less>>(idst, VectorMode::RC)));
}

ALWI void ltz_tile_int32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::Less>, hallmark::DataLayout::I32>(
        idst)));
}

ALWI void eqz_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void eqz_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(eqz_tile, eqz_tile_init, comparison_program());)
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToZero<hallmark::Order::Equal>>(idst, VectorMode::RC)));
}

ALWI void eqz_tile_int32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::Equal>, hallmark::DataLayout::I32>(
        idst)));
}

ALWI void lez_tile_init() { MATH(HALLMARK_LEAVE_BY_INIT(comparison_program());) }

ALWI void lez_tile(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_LEFT(lez_tile, lez_tile_init, comparison_program());)
    MATH((hallmark::map_tile_exactly<hallmark::ComparedToZero<hallmark::Order::LessOrEqual>>(idst, VectorMode::RC)));
}

ALWI void lez_tile_int32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::LessOrEqual>, hallmark::DataLayout::I32>(
        idst)));
}

ALWI void eqz_tile_uint32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::Equal>, hallmark::DataLayout::I32>(
        idst)));
}

ALWI void eqz_tile_uint16(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::Equal>, hallmark::DataLayout::U16>(
        idst)));
}

ALWI void nez_tile_uint32(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::NotEqual>, hallmark::DataLayout::I32>(
        idst)));
}

ALWI void nez_tile_uint16(uint32_t idst) {
    hallmark::check_tile_in_dst(idst);
    MATH((hallmark::map_integers<hallmark::IntegerComparedToZero<hallmark::Order::NotEqual>, hallmark::DataLayout::U16>(
        idst)));
}

}  // namespace ckernel

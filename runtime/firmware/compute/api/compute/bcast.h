// Sums, differences and products of a tile and a row, a column or a datum of another tile.
#pragma once

#include "api/compute/common.h"
#include "llk_defs.h"

#ifdef TRISC_MATH
namespace hallmark {

template <ckernel::EltwiseBinaryType OPERATION>
constexpr uint32_t combination() {
    using ckernel::EltwiseBinaryType;
    static_assert(
        OPERATION == EltwiseBinaryType::ELWADD || OPERATION == EltwiseBinaryType::ELWSUB ||
            OPERATION == EltwiseBinaryType::ELWMUL,
        "ELWADD, ELWSUB or ELWMUL");
    return OPERATION == EltwiseBinaryType::ELWADD   ? kAdd
           : OPERATION == EltwiseBinaryType::ELWSUB ? kSubtract
                                                    : kMultiply;
}

template <ckernel::BroadcastType DIMENSION>
FORCE_INLINE void prepare_broadcast() {
    using ckernel::BroadcastType;
    if constexpr (DIMENSION == BroadcastType::ROW) {
        prepare_rows<kRowOfB>();
    } else if constexpr (DIMENSION == BroadcastType::COL) {
        prepare_rows<kColumnOfB>();
    } else if constexpr (DIMENSION == BroadcastType::SCALAR) {
        prepare_rows<kDatumOfB>();
    } else {
        prepare_rows<kAllRows>();
    }
    keep_denormals<false>();
}

template <ckernel::BroadcastType DIMENSION>
constexpr uint32_t broadcast_bits() {
    using ckernel::BroadcastType;
    return (DIMENSION == BroadcastType::ROW || DIMENSION == BroadcastType::SCALAR ? kOneRow : 0) |
           (DIMENSION == BroadcastType::COL || DIMENSION == BroadcastType::SCALAR ? kOneColumn : 0);
}

}  // namespace hallmark
#endif

namespace ckernel {

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void bcast_init(uint32_t icb0, uint32_t icb1) {
    hallmark::check_operands(icb0, icb1);
    UNPACK((hallmark::transpose_faces(false)));
    MATH((hallmark::prepare_broadcast<tBcastDim>()));
}

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void any_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    hallmark::check_operands(icb0, icb1);
    hallmark::check_tile_in_dst(idst);
    UNPACK((hallmark::unpack_to_both(icb0, itile0, icb1, itile1)));
    MATH((hallmark::combine_rows<hallmark::combination<tBcastOp>() | hallmark::broadcast_bits<tBcastDim>()>(idst)));
}

template <BroadcastType tBcastDim>
ALWI void add_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    any_tiles_bcast<EltwiseBinaryType::ELWADD, tBcastDim>(icb0, icb1, itile0, itile1, idst);
}

template <BroadcastType tBcastDim>
ALWI void sub_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    any_tiles_bcast<EltwiseBinaryType::ELWSUB, tBcastDim>(icb0, icb1, itile0, itile1, idst);
}

template <BroadcastType tBcastDim>
ALWI void mul_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    any_tiles_bcast<EltwiseBinaryType::ELWMUL, tBcastDim>(icb0, icb1, itile0, itile1, idst);
}

ALWI void add_bcast_rows_init(uint32_t icb0, uint32_t icb1) {
    bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::ROW>(icb0, icb1);
}

ALWI void add_tiles_bcast_rows(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    add_tiles_bcast<BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst);
}

ALWI void add_bcast_cols_init(uint32_t icb0, uint32_t icb1) {
    bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::COL>(icb0, icb1);
}

ALWI void add_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    add_tiles_bcast<BroadcastType::COL>(icb0, icb1, itile0, itile1, idst);
}

ALWI void add_bcast_scalar_init(uint32_t icb0, uint32_t icb1) {
    bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::SCALAR>(icb0, icb1);
}

ALWI void add_tiles_bcast_scalar(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    add_tiles_bcast<BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst);
}

ALWI void sub_bcast_rows_init(uint32_t icb0, uint32_t icb1) {
    bcast_init<EltwiseBinaryType::ELWSUB, BroadcastType::ROW>(icb0, icb1);
}

ALWI void sub_tiles_bcast_rows(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    sub_tiles_bcast<BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst);
}

ALWI void sub_bcast_cols_init(uint32_t icb0, uint32_t icb1) {
    bcast_init<EltwiseBinaryType::ELWSUB, BroadcastType::COL>(icb0, icb1);
}

ALWI void sub_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    sub_tiles_bcast<BroadcastType::COL>(icb0, icb1, itile0, itile1, idst);
}

ALWI void sub_bcast_scalar_init(uint32_t icb0, uint32_t icb1) {
    bcast_init<EltwiseBinaryType::ELWSUB, BroadcastType::SCALAR>(icb0, icb1);
}

ALWI void sub_tiles_bcast_scalar(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    sub_tiles_bcast<BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst);
}

ALWI void mul_bcast_rows_init(uint32_t icb0, uint32_t icb1) {
    bcast_init<EltwiseBinaryType::ELWMUL, BroadcastType::ROW>(icb0, icb1);
}

ALWI void mul_tiles_bcast_rows(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    mul_tiles_bcast<BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst);
}

ALWI void mul_bcast_cols_init(uint32_t icb0, uint32_t icb1) {
    bcast_init<EltwiseBinaryType::ELWMUL, BroadcastType::COL>(icb0, icb1);
}

ALWI void mul_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    mul_tiles_bcast<BroadcastType::COL>(icb0, icb1, itile0, itile1, idst);
}

ALWI void mul_bcast_scalar_init(uint32_t icb0, uint32_t icb1) {
    bcast_init<EltwiseBinaryType::ELWMUL, BroadcastType::SCALAR>(icb0, icb1);
}

ALWI void mul_tiles_bcast_scalar(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    mul_tiles_bcast<BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst);
}

}  // namespace ckernel

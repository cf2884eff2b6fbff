// Sums, differences and products of a tile and a row, a column or a datum of another tile.
#pragma once

#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"
#include "llk_defs.h"

#ifdef TRISC_MATH
namespace hallmark {

template <ckernel::EltwiseBinaryType kOperation, ckernel::BroadcastType kDimension>
constexpr uint32_t broadcast_of() {
    return operation(Operation::kBroadcast, static_cast<uint32_t>(kOperation), static_cast<uint32_t>(kDimension));
}

template <ckernel::BroadcastType kDimension>
constexpr uint32_t unary_broadcast() {
    return operation(Operation::kUnaryBroadcast, static_cast<uint32_t>(kDimension));
}

template <ckernel::BroadcastType kDimension>
FORCE_INLINE void prepare_broadcast() {
    using ckernel::BroadcastType;
    if constexpr (kDimension == BroadcastType::ROW) {
        prepare_rows<kRowOfB>();
    } else if constexpr (kDimension == BroadcastType::COL) {
        prepare_rows<kColumnOfB>();
    } else if constexpr (kDimension == BroadcastType::SCALAR) {
        prepare_rows<kDatumOfB>();
    } else {
        prepare_rows<kAllRows>();
    }
}

template <ckernel::BroadcastType kDimension>
constexpr uint32_t broadcast_bits() {
    using ckernel::BroadcastType;
    return (kDimension == BroadcastType::ROW || kDimension == BroadcastType::SCALAR ? kOneRow : 0) |
           (kDimension == BroadcastType::COL || kDimension == BroadcastType::SCALAR ? kOneColumn : 0);
}

// SrcB to Dst as it is.
template <ckernel::BroadcastType kDimension>
FORCE_INLINE void move_broadcast(uint32_t index, uint32_t faces) {
    using ckernel::BroadcastType;
    constexpr bool by_four = kDimension == BroadcastType::COL;
    constexpr uint32_t mode = (by_four ? kFourRows : kRowTo8) | (kDimension == BroadcastType::ROW ? 0 : kDatumToAll);
    choose_tile(index);
    for (uint32_t row = 0; row < faces * kFaceRows; row += by_four ? 4 : 8) {
        const uint32_t source = kDimension == BroadcastType::ROW   ? row & 16
                                : kDimension == BroadcastType::COL ? row & ~16u
                                                                  : 0;
        push(kMoveB | mode | with_modifier(1) | source << 17 | row);
    }
    give_back<2>();
}

template <ckernel::BroadcastType kDimension>
FORCE_INLINE void prepare_unary_broadcast() {
    if constexpr (kWide || kDimension == ckernel::BroadcastType::NONE) {
        prepare_broadcast<kDimension>();
    } else {
        prepare_moves();
    }
}

}  // namespace hallmark
#endif

namespace hallmark {

// TT-Metalium reads no rows and no columns of tiles that are higher than wide.
template <ckernel::BroadcastType kDimension>
ALWI void check_broadcast(uint32_t cb_id) {
    check_numbers(cb_id);
    if constexpr (kDimension == ckernel::BroadcastType::ROW || kDimension == ckernel::BroadcastType::COL) {
        check_tiles_are_wide(cb_id);
    }
}

}  // namespace hallmark

namespace ckernel {

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void bcast_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    hallmark::check_pairs(icb0, icb1);
    hallmark::check_broadcast<tBcastDim>(icb0);
    UNPACK((hallmark::transpose_faces(false)));
    MATH((hallmark::prepare_broadcast<tBcastDim>()));
    MATH((hallmark::keep_denormals<false>()));
    MATH((hallmark::prepare_for(hallmark::broadcast_of<tBcastOp, tBcastDim>())));
}

// A row is number `bcast_row_idx` of the tile.
template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void any_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) {
    hallmark::check_pairs(icb0, icb1);
    hallmark::check_broadcast<tBcastDim>(icb0);
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_INIT(
        (hallmark::broadcast_of<tBcastOp, tBcastDim>()), "an operation with a broadcast",
        "bcast_init of this operation and dimension, such as add_bcast_rows_init");)
    UNPACK({
        if constexpr (tBcastDim == BroadcastType::ROW) {
            hallmark::unpack_with_row(icb0, itile0, icb1, itile1, bcast_row_idx);
        } else {
            hallmark::unpack_to_both(icb0, itile0, icb1, itile1);
        }
    })
    MATH((hallmark::combine_rows<hallmark::element_operation<tBcastOp>() | hallmark::broadcast_bits<tBcastDim>()>(
        idst, hallmark::faces_of(icb0))));
}

template <BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) {
    any_tiles_bcast<EltwiseBinaryType::ELWADD, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}

template <BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) {
    any_tiles_bcast<EltwiseBinaryType::ELWSUB, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}

template <BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) {
    any_tiles_bcast<EltwiseBinaryType::ELWMUL, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}

ALWI void add_bcast_rows_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::ROW>(icb0, icb1);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_tiles_bcast_rows(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) {
    add_tiles_bcast<BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}

ALWI void add_bcast_cols_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::COL>(icb0, icb1);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    add_tiles_bcast<BroadcastType::COL>(icb0, icb1, itile0, itile1, idst);
}

ALWI void add_bcast_scalar_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::SCALAR>(icb0, icb1);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_tiles_bcast_scalar(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    add_tiles_bcast<BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst);
}

ALWI void sub_bcast_rows_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    bcast_init<EltwiseBinaryType::ELWSUB, BroadcastType::ROW>(icb0, icb1);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_tiles_bcast_rows(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) {
    sub_tiles_bcast<BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}

ALWI void sub_bcast_cols_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    bcast_init<EltwiseBinaryType::ELWSUB, BroadcastType::COL>(icb0, icb1);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    sub_tiles_bcast<BroadcastType::COL>(icb0, icb1, itile0, itile1, idst);
}

ALWI void sub_bcast_scalar_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    bcast_init<EltwiseBinaryType::ELWSUB, BroadcastType::SCALAR>(icb0, icb1);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_tiles_bcast_scalar(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    sub_tiles_bcast<BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst);
}

ALWI void mul_bcast_rows_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    bcast_init<EltwiseBinaryType::ELWMUL, BroadcastType::ROW>(icb0, icb1);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_tiles_bcast_rows(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) {
    mul_tiles_bcast<BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}

ALWI void mul_bcast_cols_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    bcast_init<EltwiseBinaryType::ELWMUL, BroadcastType::COL>(icb0, icb1);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    mul_tiles_bcast<BroadcastType::COL>(icb0, icb1, itile0, itile1, idst);
}

ALWI void mul_bcast_scalar_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    bcast_init<EltwiseBinaryType::ELWMUL, BroadcastType::SCALAR>(icb0, icb1);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_tiles_bcast_scalar(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    mul_tiles_bcast<BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst);
}

template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void unary_bcast_init(uint32_t icb) {
    hallmark::check_broadcast<bcast_type>(icb);
    hallmark::check_not_bytes(icb);
    UNPACK((hallmark::transpose_faces(false)));
    MATH((hallmark::prepare_unary_broadcast<bcast_type>()));
    MATH((hallmark::prepare_for(hallmark::unary_broadcast<bcast_type>())));
}

// 32 bits in Dst are a sum with 0.
template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void unary_bcast(uint32_t icb, uint32_t in_tile_index, uint32_t dst_tile_index) {
    MATH(HALLMARK_NEEDS_INIT(hallmark::unary_broadcast<bcast_type>(), "unary_bcast", "unary_bcast_init<bcast_type>(icb)");)
    hallmark::check_broadcast<bcast_type>(icb);
    hallmark::check_not_bytes(icb);
    hallmark::check_tile_in_dst(dst_tile_index);
    if constexpr (bcast_type == BroadcastType::NONE) {
        UNPACK((hallmark::unpack_to_a<hallmark::kWide>(icb, in_tile_index)));
        MATH((hallmark::copy_rows(dst_tile_index, hallmark::faces_of(icb))));
    } else if constexpr (hallmark::kWide) {
        UNPACK((hallmark::unpack_to_b<true>(icb, in_tile_index)));
        MATH((hallmark::combine_rows<hallmark::kAdd | hallmark::broadcast_bits<bcast_type>()>(
            dst_tile_index, hallmark::faces_of(icb))));
    } else {
        UNPACK((hallmark::unpack_to_b<false>(icb, in_tile_index)));
        MATH((hallmark::move_broadcast<bcast_type>(dst_tile_index, hallmark::faces_of(icb))));
    }
}

template <BroadcastType bcast_type>
ALWI void unary_bcast_uninit(uint32_t icb) {}

}  // namespace ckernel

// Low-level names, which kernels call inside UNPACK(…) and MATH(…): the part of one thread.
#ifdef TRISC_UNPACK
template <ckernel::BroadcastType broadcast = ckernel::BroadcastType::NONE>
FORCE_INLINE void llk_unpack_AB_init(uint32_t one, uint32_t other) {
    hallmark::transpose_faces(false);
}
#endif

#ifdef TRISC_MATH
template <ckernel::EltwiseBinaryType operation, ckernel::BroadcastType broadcast, auto math_fidelity>
FORCE_INLINE void llk_math_eltwise_binary_init(uint32_t one, uint32_t other, uint32_t acc_to_dest = 0) {
    if constexpr (broadcast == ckernel::BroadcastType::NONE) {
        ckernel::binary_tiles_init<true, operation>(one, other, acc_to_dest != 0);
    } else {
        // Products are added to Dst, whatever the init says.
        HALLMARK_REQUIRE(
            acc_to_dest == 0 || operation == ckernel::EltwiseBinaryType::ELWMUL,
            "sums and differences with a broadcast are not added to Dst here: add them in a second step");
        ckernel::bcast_init<operation, broadcast>(one, other);
    }
}
#endif

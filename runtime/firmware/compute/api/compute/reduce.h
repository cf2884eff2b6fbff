// Sums, averages and maxima of the rows, of the columns and of all data of a tile.
#pragma once

#include "api/compute/common.h"
#include "llk_defs.h"
#ifdef TRISC_MATH
#include "hallmark/math_reductions.h"
#endif

#ifdef TRISC_MATH
namespace hallmark {

template <ckernel::PoolType kType, ckernel::ReduceDim kDimension>
constexpr uint32_t reduction() {
    return operation(Operation::kReduction, static_cast<uint32_t>(kType), static_cast<uint32_t>(kDimension));
}

}  // namespace hallmark
#endif

#ifdef TRISC_UNPACK
namespace hallmark {

// Of sums of rows the scaling tile goes to SrcA and is transposed; of maxima of rows, the data.
template <ckernel::PoolType kType, ckernel::ReduceDim kDimension>
FORCE_INLINE void unpack_reduced(uint32_t cb_id, uint32_t tile, uint32_t cb_scaler, uint32_t scaler) {
    if constexpr (kDimension == ckernel::ReduceDim::REDUCE_ROW && kType != ckernel::PoolType::MAX) {
        unpack_to_both(cb_scaler, scaler, cb_id, tile);
    } else {
        unpack_to_both(cb_id, tile, cb_scaler, scaler);
    }
}

}  // namespace hallmark
#endif

#ifdef TRISC_PACK
namespace hallmark {

FORCE_INLINE void note_reduction() { reduced_sections |= 1u << named_section; }

// Packers write column 0 of all faces, row 0 of the upper ones, or the first datum, and zeros elsewhere.
template <ckernel::ReduceDim kDimension>
FORCE_INLINE void keep_reduced(uint32_t beside) {
    using ckernel::ReduceDim;
    if constexpr (kDimension == ReduceDim::REDUCE_ROW) {
        mask_packed(0b01'01'01'01, 0x5555'5555, 1);
    } else if constexpr (kDimension == ReduceDim::REDUCE_COL) {
        mask_packed(beside == 2 ? 0b01'01 : 0b01, 1, 0xFFFF);
    } else {
        mask_packed(0b01, 1, 1);
    }
}

}  // namespace hallmark
#endif

namespace ckernel {

template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_init(uint32_t icb, uint32_t icb_scaler, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    static_assert(reduce_type != PoolType::MIN, "the matrix unit has no minimum: SUM, AVG or MAX");
    hallmark::check_reduced(icb, icb_scaler);
    hallmark::check_operand(ocb);
    hallmark::check_shapes(icb, ocb);
    UNPACK((hallmark::transpose_faces(reduce_dim == ReduceDim::REDUCE_ROW)));
    MATH((hallmark::prepare_reduction<reduce_type, reduce_dim>(hallmark::faces_below(icb), hallmark::faces_beside(icb))));
    MATH((hallmark::prepare_for(hallmark::reduction<reduce_type, reduce_dim>())));
    PACK((hallmark::keep_reduced<reduce_dim>(hallmark::faces_beside(ocb))));
}

ALWI void reduce_uninit(uint32_t icb = 0) { PACK((hallmark::mask_nothing())); }

// The result is added to Dst, or is the largest of it and what Dst holds.
template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_tile(uint32_t icb, uint32_t icb_scaler, uint32_t itile, uint32_t itile_scaler, uint32_t idst) {
    hallmark::check_reduced(icb, icb_scaler);
    hallmark::check_tile_in_dst(idst);
    MATH(HALLMARK_NEEDS_INIT(
        (hallmark::reduction<reduce_type, reduce_dim>()), "reduce_tile",
        "reduce_init<reduce_type, reduce_dim>(icb, icb_scaler, ocb) of this type and dimension");)
    UNPACK((hallmark::unpack_reduced<reduce_type, reduce_dim>(icb, itile, icb_scaler, itile_scaler)));
    MATH({
        const uint32_t below = hallmark::faces_below(icb), beside = hallmark::faces_beside(icb);
        if constexpr (hallmark::kSmallTiles) {
            HALLMARK_REQUIRE(
                below == hallmark::reduced_below && beside == hallmark::reduced_beside,
                "the last reduce_init was for tiles of another shape: call it with this circular buffer before");
        }
        hallmark::reduce_faces<reduce_type, reduce_dim>(idst, below, beside);
    })
    PACK((hallmark::note_reduction()));
}

template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_block(
    uint32_t icb, uint32_t icb_scaler, uint32_t start_itile, uint32_t itile_scaler, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        reduce_tile<reduce_type, reduce_dim, is_fp32_dest_acc_en>(
            icb, icb_scaler, start_itile + tile, itile_scaler, start_idst + tile);
    }
}

}  // namespace ckernel

// Low-level names, which kernels call inside UNPACK(…), MATH(…) and PACK(…): the part of one thread.
#ifdef TRISC_UNPACK
template <ckernel::PoolType reduce_type, ckernel::ReduceDim reduce_dim>
FORCE_INLINE void llk_unpack_AB_reduce_init(uint32_t operand, uint32_t scaler) {
    ckernel::reduce_init<reduce_type, reduce_dim>(operand, scaler, operand);
}
#endif

#ifdef TRISC_MATH
template <ckernel::PoolType reduce_type, ckernel::ReduceDim reduce_dim, bool is_fp32_dest_acc_en, uint32_t math_fidelity>
FORCE_INLINE void llk_math_reduce_init(uint32_t operand, uint32_t scaler) {
    ckernel::reduce_init<reduce_type, reduce_dim>(operand, scaler, operand);
}
#endif

#ifdef TRISC_PACK
template <ckernel::ReduceDim reduce_dim, ckernel::PackMode pack_mode = ckernel::PackMode::Default>
FORCE_INLINE void llk_pack_reduce_mask_config(uint32_t operand) {
    hallmark::keep_reduced<reduce_dim>(hallmark::faces_beside(operand));
}

FORCE_INLINE void llk_pack_reduce_mask_clear() { hallmark::mask_nothing(); }
#endif

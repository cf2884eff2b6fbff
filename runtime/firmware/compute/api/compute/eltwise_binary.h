// Sums, differences and products of tiles, element by element.
#pragma once

#include "api/compute/common.h"
#include "llk_defs.h"

#ifdef TRISC_MATH
namespace hallmark {

// Whether sums and differences are added to Dst, as the last init said.
inline bool adds_to_dst;

template <uint32_t kOperation>
FORCE_INLINE void add_rows(uint32_t index, uint32_t faces) {
    if (adds_to_dst) {
        combine_rows<kOperation | kOntoDst>(index, faces);
    } else {
        combine_rows<kOperation>(index, faces);
    }
}

template <ckernel::EltwiseBinaryType kOperation>
constexpr uint32_t element_operation() {
    using ckernel::EltwiseBinaryType;
    static_assert(
        kOperation == EltwiseBinaryType::ELWADD || kOperation == EltwiseBinaryType::ELWSUB ||
            kOperation == EltwiseBinaryType::ELWMUL,
        "ELWADD, ELWSUB or ELWMUL");
    return kOperation == EltwiseBinaryType::ELWADD   ? kAdd
           : kOperation == EltwiseBinaryType::ELWSUB ? kSubtract
                                                    : kMultiply;
}

template <ckernel::EltwiseBinaryType kOperation>
constexpr uint32_t elements() {
    return operation(Operation::kElements, static_cast<uint32_t>(kOperation));
}

template <ckernel::EltwiseBinaryType kOperation, ckernel::EltwiseBinaryReuseDestType kReuse>
constexpr uint32_t elements_with_dst() {
    return operation(Operation::kElementsWithDst, static_cast<uint32_t>(kOperation), static_cast<uint32_t>(kReuse));
}

FORCE_INLINE void prepare_combination_with_dst() {
    prepare_moves();
    keep_denormals<false>();
}

FORCE_INLINE void prepare_combination(bool adds) {
    prepare_rows<kAllRows>();
    keep_denormals<false>();
    adds_to_dst = adds;
}

}  // namespace hallmark
#endif

namespace hallmark {

template <ckernel::EltwiseBinaryType kOperation, ckernel::EltwiseBinaryReuseDestType kReuse>
ALWI void prepare_tile_with_dst(uint32_t cb_id) {
    static_assert(kReuse != ckernel::EltwiseBinaryReuseDestType::NONE, "DEST_TO_SRCA or DEST_TO_SRCB");
    check_elements(cb_id);
    UNPACK((transpose_faces(false)));
    MATH((prepare_combination_with_dst()));
    MATH((prepare_for(elements_with_dst<kOperation, kReuse>())));
}

template <ckernel::EltwiseBinaryType kOperation, ckernel::EltwiseBinaryReuseDestType kReuse>
ALWI void combine_tile_with_dst(uint32_t cb_id, uint32_t tile, uint32_t index) {
    static_assert(kReuse != ckernel::EltwiseBinaryReuseDestType::NONE, "DEST_TO_SRCA or DEST_TO_SRCB");
    constexpr bool to_a = kReuse == ckernel::EltwiseBinaryReuseDestType::DEST_TO_SRCA;
    MATH(HALLMARK_NEEDS_INIT(
        (elements_with_dst<kOperation, kReuse>()), "an operation with a tile of Dst",
        "that of this operation and operand, such as add_reuse_dest_init");)
    check_elements(cb_id);
    check_tile_in_dst(index);
    UNPACK({
        if constexpr (to_a) {
            unpack_to_b<true>(cb_id, tile);
        } else {
            unpack_to_a<true>(cb_id, tile);
        }
    })
    MATH((combine_with_dst<element_operation<kOperation>(), to_a>(index, faces_of(cb_id))));
}

}  // namespace hallmark

namespace ckernel {

template <bool full_init, EltwiseBinaryType eltwise_binary_type>
ALWI void binary_tiles_init(
    uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, uint32_t call_line = __builtin_LINE()) {
    hallmark::check_pairs(icb0, icb1);
    UNPACK({
        if constexpr (full_init) {
            hallmark::transpose_faces(false);
        } else {
            HALLMARK_REQUIRE(
                !hallmark::writes_dst && !hallmark::transposes_faces,
                "binary_tiles_init without full_init leaves the unpackers as the last init has prepared them, which was for transposed "
                "tiles or for tiles that go to Dst: call it with full_init");
        }
    })
    MATH((hallmark::prepare_combination(acc_to_dest)));
    MATH((hallmark::prepare_for(hallmark::elements<eltwise_binary_type>())));
}

ALWI void add_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, uint32_t call_line = __builtin_LINE()) {
    binary_tiles_init<true, EltwiseBinaryType::ELWADD>(icb0, icb1, acc_to_dest);
}

ALWI void sub_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, uint32_t call_line = __builtin_LINE()) {
    binary_tiles_init<true, EltwiseBinaryType::ELWSUB>(icb0, icb1, acc_to_dest);
}

ALWI void mul_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = true, uint32_t call_line = __builtin_LINE()) {
    binary_tiles_init<true, EltwiseBinaryType::ELWMUL>(icb0, icb1, acc_to_dest);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    MATH(HALLMARK_NEEDS_INIT(hallmark::elements<EltwiseBinaryType::ELWADD>(), "add_tiles", "add_init(icb0, icb1)");)
    hallmark::check_pairs(icb0, icb1);
    hallmark::check_tile_in_dst(idst);
    UNPACK((hallmark::unpack_to_both(icb0, itile0, icb1, itile1)));
    MATH((hallmark::add_rows<hallmark::kAdd>(idst, hallmark::faces_of(icb0))));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    MATH(HALLMARK_NEEDS_INIT(hallmark::elements<EltwiseBinaryType::ELWSUB>(), "sub_tiles", "sub_init(icb0, icb1)");)
    hallmark::check_pairs(icb0, icb1);
    hallmark::check_tile_in_dst(idst);
    UNPACK((hallmark::unpack_to_both(icb0, itile0, icb1, itile1)));
    MATH((hallmark::add_rows<hallmark::kSubtract>(idst, hallmark::faces_of(icb0))));
}

// Products are always added to Dst, which is 0 where a section begins.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
    MATH(HALLMARK_NEEDS_INIT(hallmark::elements<EltwiseBinaryType::ELWMUL>(), "mul_tiles", "mul_init(icb0, icb1)");)
    hallmark::check_pairs(icb0, icb1);
    hallmark::check_tile_in_dst(idst);
    UNPACK((hallmark::unpack_to_both(icb0, itile0, icb1, itile1)));
    MATH((hallmark::combine_rows<hallmark::kMultiply>(idst, hallmark::faces_of(icb0))));
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_block(
    uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        add_tiles<is_fp32_dest_acc_en>(icb0, icb1, start_itile0 + tile, start_itile1 + tile, start_idst + tile);
    }
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_block(
    uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        sub_tiles<is_fp32_dest_acc_en>(icb0, icb1, start_itile0 + tile, start_itile1 + tile, start_idst + tile);
    }
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_block(
    uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        mul_tiles<is_fp32_dest_acc_en>(icb0, icb1, start_itile0 + tile, start_itile1 + tile, start_idst + tile);
    }
}

template <EltwiseBinaryReuseDestType reuse_dest>
ALWI void add_reuse_dest_init(uint32_t icb, uint32_t call_line = __builtin_LINE()) {
    hallmark::prepare_tile_with_dst<EltwiseBinaryType::ELWADD, reuse_dest>(icb);
}

template <EltwiseBinaryReuseDestType reuse_dest>
ALWI void sub_reuse_dest_init(uint32_t icb, uint32_t call_line = __builtin_LINE()) {
    hallmark::prepare_tile_with_dst<EltwiseBinaryType::ELWSUB, reuse_dest>(icb);
}

template <EltwiseBinaryReuseDestType reuse_dest>
ALWI void mul_reuse_dest_init(uint32_t icb, uint32_t call_line = __builtin_LINE()) {
    hallmark::prepare_tile_with_dst<EltwiseBinaryType::ELWMUL, reuse_dest>(icb);
}

template <EltwiseBinaryReuseDestType reuse_dest, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
    hallmark::combine_tile_with_dst<EltwiseBinaryType::ELWADD, reuse_dest>(in_cb_id, in_tile_index, dst_tile_index);
}

template <EltwiseBinaryReuseDestType reuse_dest, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
    hallmark::combine_tile_with_dst<EltwiseBinaryType::ELWSUB, reuse_dest>(in_cb_id, in_tile_index, dst_tile_index);
}

template <EltwiseBinaryReuseDestType reuse_dest, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
    hallmark::combine_tile_with_dst<EltwiseBinaryType::ELWMUL, reuse_dest>(in_cb_id, in_tile_index, dst_tile_index);
}

}  // namespace ckernel

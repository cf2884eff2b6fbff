// Other formats of the operands and of the result.
#pragma once

#include "api/compute/compute_kernel_hw_startup.h"

namespace ckernel {

ALWI void reconfig_data_format_srca(uint32_t srca_new_operand) {
    hallmark::check_operand(srca_new_operand);
    UNPACK((hallmark::change_unpacked_format<0>(srca_new_operand)));
    MATH((hallmark::change_math_format<hallmark::kSourceA>(srca_new_operand)));
}

ALWI void reconfig_data_format_srca(uint32_t srca_old_operand, uint32_t srca_new_operand) {
    hallmark::check_operand(srca_old_operand);
    hallmark::check_operand(srca_new_operand);
    if (hallmark::format_of(srca_old_operand) != hallmark::format_of(srca_new_operand)) {
        reconfig_data_format_srca(srca_new_operand);
    }
}

ALWI void reconfig_data_format_srcb(uint32_t srcb_new_operand) {
    hallmark::check_operand(srcb_new_operand);
    UNPACK((hallmark::change_unpacked_format<1>(srcb_new_operand)));
    MATH((hallmark::change_math_format<hallmark::kSourceB>(srcb_new_operand)));
}

ALWI void reconfig_data_format_srcb(uint32_t srcb_old_operand, uint32_t srcb_new_operand) {
    hallmark::check_operand(srcb_old_operand);
    hallmark::check_operand(srcb_new_operand);
    if (hallmark::format_of(srcb_old_operand) != hallmark::format_of(srcb_new_operand)) {
        reconfig_data_format_srcb(srcb_new_operand);
    }
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format(uint32_t icb0_new_operand, uint32_t icb1_new_operand) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    reconfig_data_format_srca(reverse ? icb1_new_operand : icb0_new_operand);
    reconfig_data_format_srcb(reverse ? icb0_new_operand : icb1_new_operand);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format(
    uint32_t icb0_old_operand, uint32_t icb0_new_operand, uint32_t icb1_old_operand, uint32_t icb1_new_operand) {
    if constexpr (src_order == SrcOrder::Reverse) {
        reconfig_data_format_srca(icb1_old_operand, icb1_new_operand);
        reconfig_data_format_srcb(icb0_old_operand, icb0_new_operand);
    } else {
        reconfig_data_format_srca(icb0_old_operand, icb0_new_operand);
        reconfig_data_format_srcb(icb1_old_operand, icb1_new_operand);
    }
}

template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t new_cb_id) {
    hallmark::check_operand(new_cb_id);
    PACK((hallmark::change_packed_format(new_cb_id)));
    if constexpr (is_tile_dim_reconfig_en) {
        PACK((hallmark::note_faces(new_cb_id)));
    }
}

template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t old_cb_id, uint32_t new_cb_id) {
    hallmark::check_operand(old_cb_id);
    hallmark::check_operand(new_cb_id);
    if (hallmark::format_of(old_cb_id) != hallmark::format_of(new_cb_id)) {
        pack_reconfig_data_format(new_cb_id);
    }
    if constexpr (is_tile_dim_reconfig_en) {
        PACK((hallmark::note_faces(new_cb_id)));
    }
}

// Whole tiles have one shape here, so that the format is all there is to a full operand.
ALWI void reconfig_full_operand_srca(uint32_t srca_new_operand) { reconfig_data_format_srca(srca_new_operand); }

ALWI void reconfig_full_operand_srca(uint32_t srca_old_operand, uint32_t srca_new_operand) {
    reconfig_data_format_srca(srca_old_operand, srca_new_operand);
}

ALWI void reconfig_full_operand_srcb(uint32_t srcb_new_operand) { reconfig_data_format_srcb(srcb_new_operand); }

ALWI void reconfig_full_operand_srcb(uint32_t srcb_old_operand, uint32_t srcb_new_operand) {
    reconfig_data_format_srcb(srcb_old_operand, srcb_new_operand);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_full_operand(uint32_t icb0_new_operand, uint32_t icb1_new_operand) {
    reconfig_data_format<src_order>(icb0_new_operand, icb1_new_operand);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_full_operand(
    uint32_t icb0_old_operand, uint32_t icb0_new_operand, uint32_t icb1_old_operand, uint32_t icb1_new_operand) {
    reconfig_data_format<src_order>(icb0_old_operand, icb0_new_operand, icb1_old_operand, icb1_new_operand);
}

// The same for kernels that know that no integers are among the formats.
ALWI void reconfig_data_format_srca_skip_int8(uint32_t srca_new_operand) { reconfig_data_format_srca(srca_new_operand); }

ALWI void reconfig_data_format_srca_skip_int8(uint32_t srca_old_operand, uint32_t srca_new_operand) {
    reconfig_data_format_srca(srca_old_operand, srca_new_operand);
}

ALWI void reconfig_data_format_srcb_skip_int8(uint32_t srcb_new_operand) { reconfig_data_format_srcb(srcb_new_operand); }

ALWI void reconfig_data_format_srcb_skip_int8(uint32_t srcb_old_operand, uint32_t srcb_new_operand) {
    reconfig_data_format_srcb(srcb_old_operand, srcb_new_operand);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format_skip_int8(uint32_t icb0_new_operand, uint32_t icb1_new_operand) {
    reconfig_data_format<src_order>(icb0_new_operand, icb1_new_operand);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format_skip_int8(
    uint32_t icb0_old_operand, uint32_t icb0_new_operand, uint32_t icb1_old_operand, uint32_t icb1_new_operand) {
    reconfig_data_format<src_order>(icb0_old_operand, icb0_new_operand, icb1_old_operand, icb1_new_operand);
}

}  // namespace ckernel

// Low-level names, which kernels call inside UNPACK(…) and MATH(…): the part of one thread.
enum class p_dim_stride_target { IGNORE, FACE_ROW_MAJOR };

#ifdef TRISC_UNPACK
template <bool is_fp32_dest_acc_en, p_dim_stride_target dim_stride_target = p_dim_stride_target::IGNORE>
FORCE_INLINE void llk_unpack_reconfig_data_format_srca(uint32_t old_operand, uint32_t new_operand) {
    ckernel::reconfig_data_format_srca(old_operand, new_operand);
}
#endif

#ifdef TRISC_MATH
template <bool is_fp32_dest_acc_en>
FORCE_INLINE void llk_math_reconfig_data_format_srca(uint32_t old_operand, uint32_t new_operand) {
    ckernel::reconfig_data_format_srca(old_operand, new_operand);
}
#endif

// Tiles of Dst into circular buffers.
#pragma once

#include "api/compute/compute_kernel_hw_startup.h"
#include "llk_defs.h"

namespace ckernel {

// The shape of the tiles is that of this circular buffer's.
ALWI void pack_init(uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    hallmark::check_operand(ocb);
    PACK((hallmark::note_faces(ocb)));
}

template <bool out_of_order_output = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_tile(uint32_t ifrom_dst, uint32_t icb, uint32_t output_tile_index = 0) {
    hallmark::check_operand(icb);
    hallmark::check_tile_in_dst(ifrom_dst);
    PACK({
        if constexpr (out_of_order_output) {
            hallmark::pack_to(ifrom_dst, icb, output_tile_index);
        } else {
            hallmark::pack_to(ifrom_dst, icb, hallmark::packed_tiles[icb]++);
        }
    })
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_block(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles) {
    for (uint32_t tile = 0; tile < ntiles; ++tile) {
        pack_tile(ifrom_dst + tile, icb);
    }
}

ALWI void dummy_pack(uint32_t cb_id) {}

// The packers replace negative numbers, or numbers up to a threshold, by 0, or clamp numbers to the range from 0 to a threshold.
ALWI void pack_relu_config(const ReluConfig& config) {
    PACK((hallmark::set_rectifier(static_cast<uint32_t>(config.get_mode()), config.get_threshold())));
}

#ifdef TRISC_PACK
// The low-level name, which kernels call inside PACK(…).
FORCE_INLINE void llk_pack_reconfig_l1_acc(uint32_t enable) { hallmark::add_to_l1(enable != 0); }
#endif

ALWI void pack_reconfig_l1_acc(uint32_t l1_acc_en) { PACK((hallmark::add_to_l1(l1_acc_en != 0))); }

}  // namespace ckernel

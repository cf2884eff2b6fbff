// Copies a tile, and adds two, with one mistake in the use of the compute API.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer, 3 a circular buffer of another format,
// 4 the mistake (0 none).
// Runtime arguments: 0 a tile of Dst.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/matmul.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"

enum Mistake : uint32_t {
    kNone,
    kNoInit,
    kInitOfAnother,
    kOtherShape,
    kBeyondDst,
    kNoAcquire,
    kNoWait,
    kOtherFormatOfA,
    kOtherFormatOfB,
    kOtherFormatOfResult,
    kNoSuchBuffer,
    kReleasedTwice,
    kOtherTranspose,
    kOtherWidthOfRows,
    kNoTilizeUninit,
    kNoReduceUninit,
    kNoUntilizeUninit,
    kNoUntilizeInit,
    kUnpackersOfTransposes,
    kNoStartup,
    kOtherRowsOfBlock,
    // The section of Dst was a reduction's, two sections before.
    kReductionBefore,
    kNotReleased,
    // PACK leaves out what MATH has committed.
    kNotPacked,
};

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr uint32_t cb_other = get_compile_time_arg_val(3);
    constexpr Mistake mistake = static_cast<Mistake>(get_compile_time_arg_val(4));
    const uint32_t tile = get_arg_val<uint32_t>(0);

    if constexpr (mistake != kNoStartup) {
        compute_kernel_hw_startup(
            mistake == kOtherFormatOfA ? cb_other : cb_a, mistake == kOtherFormatOfB ? cb_other : cb_b,
            mistake == kOtherFormatOfResult ? cb_other : cb_out);
    }
    if constexpr (mistake == kOtherWidthOfRows || mistake == kNoTilizeUninit) {
        tilize_init(cb_a, 1, cb_out);
    } else if constexpr (mistake == kNoReduceUninit) {
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_a, cb_b, cb_out);
    } else if constexpr (mistake == kNoUntilizeUninit) {
        pack_untilize_dest_init<1>(cb_out);
    }
    if constexpr (mistake == kOtherWidthOfRows) {
        tilize_block(cb_a, 2, cb_out);
    }
    if constexpr (mistake == kReductionBefore) {
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_a, cb_b, cb_out);
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        cb_reserve_back(cb_out, 1);
        for (uint32_t section = 0; section < 2; ++section) {
            tile_regs_acquire();
            if (section == 0) {
                reduce_tile<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_a, cb_b, 0, 0, 0);
            }
            tile_regs_commit();
            tile_regs_wait();
            if (section == 0) {
                pack_tile<true>(0, cb_out, 0);
            }
            tile_regs_release();
        }
    }
    if constexpr (mistake != kNoInit) {
        copy_init(cb_a);
    }
    cb_wait_front(cb_a, 1);
    cb_wait_front(cb_b, 1);
    if constexpr (mistake != kNoAcquire) {
        tile_regs_acquire();
    }
    copy_tile(mistake == kNoSuchBuffer ? tile + 40 : cb_a, 0, mistake == kBeyondDst ? tile + 7 : tile);
    if constexpr (mistake == kOtherShape) {
        matmul_block_init(cb_a, cb_b, 0, 2, 1, 1);
        matmul_block(cb_a, cb_b, 0, 0, 0, 0, 1, 1, 1);
    } else if constexpr (mistake == kOtherRowsOfBlock) {
        matmul_block_init(cb_a, cb_b, 0, 1, 2, 1);
        matmul_block(cb_a, cb_b, 0, 0, 0, 0, 1, 1, 1);
    } else if constexpr (mistake == kOtherTranspose) {
        matmul_block_init(cb_a, cb_b, 1, 1, 1, 1);
        matmul_block(cb_a, cb_b, 0, 0, 0, 0, 1, 1, 1);
    } else if constexpr (mistake == kUnpackersOfTransposes) {
        copy_init(cb_a, 0, 1);
        binary_tiles_init<false, EltwiseBinaryType::ELWADD>(cb_a, cb_b, true);
    } else {
        if constexpr (mistake == kInitOfAnother) {
            sub_init(cb_a, cb_b, true);
        } else {
            add_init(cb_a, cb_b, true);
        }
        add_tiles(cb_a, cb_b, 0, 0, tile);
    }
    tile_regs_commit();
    cb_pop_front(cb_a, 1);
    cb_pop_front(cb_b, 1);

    cb_reserve_back(cb_out, 1);
    if constexpr (mistake != kNoWait && mistake != kNotPacked) {
        tile_regs_wait();
    }
    if constexpr (mistake == kNoUntilizeInit) {
        pack_untilize_dest<1>(cb_out);
    }
    if constexpr (mistake != kNotPacked) {
        pack_tile(tile, cb_out);
    }
    if constexpr (mistake != kNotReleased && mistake != kNotPacked) {
        tile_regs_release();
    }
    if constexpr (mistake == kReleasedTwice) {
        tile_regs_release();
    }
    cb_push_back(cb_out, 1);
}

// Does one operation on tiles of two circular buffers, of which the second is only known when the kernel runs. The operation is
// prepared for the first.
// Compile-time arguments: 0 first and 1 output circular buffer, 2 the operation.
// Runtime arguments: 0 the second circular buffer.

#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/matmul.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"
#include "api/compute/transpose.h"

enum Operation : uint32_t {
    kCopy,
    kTransposedCopy,
    kAdd,
    kAddRow,
    kTilize,
    kPartOfAnInit,
    // The init is for the second circular buffer. Behind it the format is that of the first one, and then of the second one again.
    kCopyReconfigured,
    // The same without the way back.
    kCopyNotReconfigured,
    // The packers are configured for tiles of the second one, and pack as ever, or are configured again before.
    kPackOtherShape,
    kPackReconfiguredShape,
    kPackPreparedShape,
    // The second one times the first one, and a sum of the first one that the second one scales.
    kMultiply,
    kReduce,
};

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    constexpr Operation operation = static_cast<Operation>(get_compile_time_arg_val(2));
    const uint32_t cb_second = get_arg_val<uint32_t>(0);

    constexpr bool packs_other_shape =
        operation == kPackOtherShape || operation == kPackReconfiguredShape || operation == kPackPreparedShape;
    compute_kernel_hw_startup(cb_in, packs_other_shape ? cb_second : cb_out);
    if constexpr (operation == kTilize) {
        tilize_init(cb_in, 1, cb_out);
        cb_wait_front(cb_second, 1);
        cb_reserve_back(cb_out, 1);
        tilize_block(cb_second, 1, cb_out);
        cb_push_back(cb_out, 1);
        return;
    }
    if constexpr (operation == kCopy || operation == kPartOfAnInit || packs_other_shape) {
        copy_init(cb_in);
    } else if constexpr (operation == kCopyReconfigured || operation == kCopyNotReconfigured) {
        copy_init(cb_second);
        reconfig_data_format_srca(cb_in);
        if constexpr (operation == kCopyReconfigured) {
            reconfig_data_format_srca(cb_second);
        }
    } else if constexpr (operation == kTransposedCopy) {
        copy_init(cb_in, 1);
    } else if constexpr (operation == kMultiply) {
        matmul_init(cb_in, cb_in);
    } else if constexpr (operation == kReduce) {
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_in, cb_in, cb_out);
    } else if constexpr (operation == kAdd) {
        add_init(cb_in, cb_in);
    } else {
        add_bcast_rows_init(cb_in, cb_in);
    }
    if constexpr (operation == kPartOfAnInit) {
        binary_tiles_init<false, EltwiseBinaryType::ELWADD>(cb_in, cb_in);
    }
    tile_regs_acquire();
    cb_wait_front(cb_in, 1);
    cb_wait_front(cb_second, 1);
    if constexpr (packs_other_shape) {
        copy_tile(cb_in, 0, 0);
    } else if constexpr (
        operation == kCopy || operation == kTransposedCopy || operation == kCopyReconfigured ||
        operation == kCopyNotReconfigured) {
        copy_tile(cb_second, 0, 0);
    } else if constexpr (operation == kMultiply) {
        matmul_tiles(cb_second, cb_in, 0, 0, 0);
    } else if constexpr (operation == kReduce) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_in, cb_second, 0, 0, 0);
    } else if constexpr (operation == kAddRow) {
        add_tiles_bcast_rows(cb_in, cb_second, 0, 0, 0);
    } else {
        add_tiles(cb_in, cb_second, 0, 0, 0);
    }
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    if constexpr (operation == kPackReconfiguredShape) {
        pack_reconfig_data_format<true>(cb_second, cb_out);
    } else if constexpr (operation == kPackPreparedShape) {
        pack_init(cb_out);
    }
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
}

// Operations one behind the other, of which the later ones need what their init, or a change of format, sets anew.
// Compile-time arguments: 0 and 1 input circular buffers, 2 output circular buffer, 3 sequence.
// The first tiles of both inputs make the first tile of the output, and the second tiles the second one.

#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/matmul.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose.h"

enum Sequence : uint32_t {
    // Transposed tiles of the first input and, behind a second startup, of the second one.
    kStartsAgain,
    // A sum with row 5 of a tile, and a sum of tiles.
    kRowThenTile,
    // A tile of the first input, and one of the second input, of another format, whose faces 1 and 2 change places.
    kFacesOfAnotherFormat,
    // Products of the first input and the second one, and of the first one and itself.
    kFormatsOfMatrices,
    // A tile that goes to Dst, where the vector unit has changed it before.
    kVectorsThenUnpacked,
    // Whether numbers of a transposed tile, and of a row in all places, are not 0.
    kNotZero,
    // The same behind copy_init.
    kNotZeroBehindCopies,
};

constexpr uint32_t kA = get_compile_time_arg_val(0);
constexpr uint32_t kB = get_compile_time_arg_val(1);
constexpr uint32_t kOut = get_compile_time_arg_val(2);
constexpr auto kSequence = static_cast<Sequence>(get_compile_time_arg_val(3));

template <typename OPERATION>
void make(OPERATION operation) {
    cb_wait_front(kA, 1);
    cb_wait_front(kB, 1);
    tile_regs_acquire();
    operation();
    tile_regs_commit();
    cb_pop_front(kA, 1);
    cb_pop_front(kB, 1);
    cb_reserve_back(kOut, 1);
    tile_regs_wait();
    pack_tile(0, kOut);
    tile_regs_release();
    cb_push_back(kOut, 1);
}

void kernel_main() {
    if constexpr (kSequence == kStartsAgain) {
        compute_kernel_hw_startup(kA, kOut);
        transpose_init(kA);
        make([] { transpose_tile(kA, 0, 0); });
        compute_kernel_hw_startup(kB, kOut);
        transpose_init(kB);
        make([] { transpose_tile(kB, 0, 0); });
    } else if constexpr (kSequence == kRowThenTile) {
        compute_kernel_hw_startup(kA, kB, kOut);
        add_bcast_rows_init(kA, kB);
        make([] { add_tiles_bcast_rows(kA, kB, 0, 0, 0, 5); });
        add_init(kA, kB);
        make([] { add_tiles(kA, kB, 0, 0, 0); });
    } else if constexpr (kSequence == kFacesOfAnotherFormat) {
        compute_kernel_hw_startup(kA, kOut);
        copy_tile_init(kA);
        make([] { copy_tile(kA, 0, 0); });
        copy_tile_to_dst_init_short_with_dt(kA, kB, 1);
        make([] { copy_tile(kB, 0, 0); });
    } else if constexpr (kSequence == kVectorsThenUnpacked) {
        compute_kernel_hw_startup(kA, kOut);
        copy_init(kA);
        negative_tile_init();
        for (uint32_t tile = 0; tile < 2; ++tile) {
            make([] {
                copy_tile(kA, 0, 0);
                negative_tile(0);
                copy_tile(kA, 0, 0);
            });
        }
    } else if constexpr (kSequence == kNotZero || kSequence == kNotZeroBehindCopies) {
        compute_kernel_hw_startup(kA, kOut);
        if constexpr (kSequence == kNotZeroBehindCopies) {
            copy_init(kA);
        }
        nez_tile_init();
        transpose_init(kA);
        make([] {
            transpose_tile(kA, 0, 0);
            nez_tile(0);
        });
        unary_bcast_init<BroadcastType::ROW>(kB);
        make([] {
            unary_bcast<BroadcastType::ROW>(kB, 0, 0);
            nez_tile(0);
        });
    } else {
        compute_kernel_hw_startup<SrcOrder::Reverse>(kA, kB, kOut);
        matmul_init(kA, kB);
        make([] { matmul_tiles(kA, kB, 0, 0, 0); });
        reconfig_data_format<SrcOrder::Reverse>(kA, kA, kB, kA);
        matmul_init(kA, kA);
        make([] { matmul_tiles(kA, kA, 0, 0, 0); });
    }
}

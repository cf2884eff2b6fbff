// hallmark-only: PACK stores words, without the Tensix coprocessor.
// PACK fills a tile of words, which UNPACK waits for. Each thread prints elements of it, as far as it can.
// Runtime arguments: 0 L1 address of the result.

#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/debug/dprint_pages.h"

void kernel_main() {
    constexpr uint32_t cb = 2;
    cb_reserve_back(cb, 1);
    PACK({
        volatile uint32_t* tile = reinterpret_cast<volatile uint32_t*>(get_local_cb_interface(cb).fifo_wr_ptr << 4);
        for (uint32_t i = 0; i < 1024; ++i) {
            tile[i] = 3 * i;
        }
        while (tile[1023] != 3 * 1023) {
        }
    })
    DPRINT_PACK("{}", TSLICE(cb, 0, SliceRange::hw0_32_16()));
    cb_push_back(cb, 1);
    cb_wait_front(cb, 1);
    DPRINT_UNPACK("{:#x}", TSLICE(cb, 0, SliceRange{31, 32, 1, 30, 32, 1}));
#if defined(DEBUG_PRINT_ENABLED) && defined(UCK_CHLKC_UNPACK)
    tt::compute::common::print_tile_rows(cb, 0, true, 15, 17, 15, 17);
#endif
    DPRINT_MATH("{}", TSLICE(cb, 0, SliceRange::hw041()));
    cb_pop_front(cb, 1);
    PACK(*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0)) = 5);
}

// Circular buffers in kernels for the coprocessor: UNPACK gives pages back when the unpackers have read them, and PACK
// shows pages when the packers have written them.
#pragma once

#include "api/compute/thread.h"
#include "ckernel.h"
#ifdef TRISC_UNPACK
#include "hallmark/unpack_thread.h"
#endif
#ifdef TRISC_PACK
#include "hallmark/pack_thread.h"
#endif

namespace hallmark {

// What UNPACK passes in comes out on all three threads.
ALWI uint32_t broadcast_from_unpack(uint32_t value) {
    UNPACK({
        ckernel::mailbox_write(ckernel::MathThreadId, value);
        ckernel::mailbox_write(ckernel::PackThreadId, value);
    })
    MATH(value = ckernel::mailbox_read(ckernel::UnpackThreadId);)
    PACK(value = ckernel::mailbox_read(ckernel::UnpackThreadId);)
    return value;
}

}  // namespace hallmark

ALWI void cb_wait_front(uint32_t cbid, uint32_t ntiles) { UNPACK((hallmark::cb_wait(cbid, ntiles))); }

ALWI void cb_pop_front(uint32_t cbid, uint32_t ntiles) {
    UNPACK((hallmark::finish_unpacking()));
    UNPACK((hallmark::cb_pop(cbid, ntiles)));
}

ALWI void cb_reserve_back(uint32_t cbid, uint32_t ntiles) { PACK((hallmark::cb_reserve(cbid, ntiles))); }

ALWI void cb_push_back(uint32_t cbid, uint32_t ntiles) {
    PACK((hallmark::finish_packing()));
    PACK((hallmark::cb_push(cbid, ntiles)));
    PACK((hallmark::packed_tiles[cbid] = 0));
}

// The L1 address of a tile at the front of a circular buffer, the same on all three threads.
ALWI uint32_t get_tile_address(uint32_t cb_id, uint32_t tile_index) {
    uint32_t address = 0;
    UNPACK({
        const LocalCBInterface& buffer = get_local_cb_interface(cb_id);
        address = (buffer.fifo_rd_ptr + buffer.fifo_page_size * tile_index) << 4;
    })
    return hallmark::broadcast_from_unpack(address);
}

// A word of a tile at the front of a circular buffer, the same on all three threads.
ALWI uint32_t read_tile_value(uint32_t cb_id, uint32_t tile_index, uint32_t element_offset) {
    uint32_t value = 0;
    UNPACK({
        const LocalCBInterface& buffer = get_local_cb_interface(cb_id);
        const uint32_t address = (buffer.fifo_rd_ptr + buffer.fifo_page_size * tile_index) << 4;
        value = reinterpret_cast<volatile uint32_t*>(address)[element_offset];
    })
    return hallmark::broadcast_from_unpack(value);
}

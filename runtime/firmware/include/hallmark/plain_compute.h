// Compute on the baby cores themselves, for kernels that run where there is no Tensix coprocessor:
// PACK computes, as it alone writes results; UNPACK tells it where the operands are and learns when
// they may be given back.
//
// TT-Metalium has no such header: kernels that include it are hallmark-only.
#pragma once

#include "api/compute/cb_api.h"

namespace hallmark {

// Waits for `pages` pages of a circular buffer and gives PACK their address; 0 on the other threads.
ALWI uint32_t acquire_operand(uint32_t cb_id, uint32_t pages) {
    cb_wait_front(cb_id, pages);
    uint32_t address = 0;
    UNPACK(send(Thread::kPack, get_local_cb_interface(cb_id).fifo_rd_ptr << 4);)
    PACK(address = receive(Thread::kUnpack);)
    return address;
}

// Gives the pages back once PACK has read them.
ALWI void release_operand(uint32_t cb_id, uint32_t pages) {
    PACK(send(Thread::kUnpack, pages);)
    UNPACK(static_cast<void>(receive(Thread::kPack));)
    cb_pop_front(cb_id, pages);
}

// Waits for room and gives PACK its address; 0 on the other threads.
ALWI uint32_t acquire_result(uint32_t cb_id, uint32_t pages) {
    cb_reserve_back(cb_id, pages);
    uint32_t address = 0;
    PACK(address = get_local_cb_interface(cb_id).fifo_wr_ptr << 4;)
    return address;
}

// Shows the consumer what PACK wrote; `last` is the last word that it stored.
ALWI void release_result(uint32_t cb_id, uint32_t pages, const volatile uint32_t* last) {
    PACK(settle_store(last);)
    cb_push_back(cb_id, pages);
}

}  // namespace hallmark

// What start-up code sets up before kernel_main() and the kernel API works on.
#pragma once

#include <stdint.h>

#include "hallmark/launch_abi.h"
#include "hallmark/registers.h"

#define tt_l1_ptr
#define tt_reg_ptr
#define FORCE_INLINE inline __attribute__((always_inline))
#define ALWI inline __attribute__((always_inline))

#if defined(UCK_CHLKC_UNPACK) || defined(UCK_CHLKC_MATH) || defined(UCK_CHLKC_PACK)
#define HALLMARK_COMPUTE 1
#endif

namespace hallmark {

// The launch block, and this core's arguments.
extern uint32_t launch_block;
extern uint32_t unique_args;
extern uint32_t common_args;

inline uint32_t launch_word(uint32_t offset) {
    return *reinterpret_cast<volatile uint32_t*>(launch_block + offset);
}

// The load/store unit may let a later access to another memory pass a store to L1 (ISA documentation,
// memory ordering). Loading the word back and using it keeps the order.
inline void settle_store(const volatile uint32_t* word) {
    const uint32_t back = *word;
    asm volatile("addi x0, %0, 0" : : "r"(back) : "memory");
}

}  // namespace hallmark

// One circular buffer as this core sees it. Compute threads count addresses and sizes in units of 16
// bytes, as upstream's do.
struct LocalCBInterface {
    uint32_t fifo_size;
    uint32_t fifo_limit;
    uint32_t fifo_page_size;
    uint32_t fifo_num_pages;
    uint32_t fifo_rd_ptr;
    uint32_t fifo_wr_ptr;
};

extern LocalCBInterface cb_interface[hallmark::kCircularBuffers];

FORCE_INLINE LocalCBInterface& get_local_cb_interface(uint32_t cb_id) { return cb_interface[cb_id]; }

// Coordinates of this tile in requests on either NoC.
extern uint8_t my_x[2];
extern uint8_t my_y[2];

// Transfers asked for per NoC, in the hardware's own counts.
extern uint32_t noc_reads_num_issued[2];
extern uint32_t noc_nonposted_writes_num_issued[2];
extern uint32_t noc_nonposted_writes_acked[2];
extern uint32_t noc_nonposted_atomics_acked[2];
extern uint32_t noc_posted_writes_num_issued[2];

#ifdef NOC_INDEX
constexpr uint8_t noc_index = NOC_INDEX;
#endif

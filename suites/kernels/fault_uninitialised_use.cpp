// Lets a word of L1 that nobody wrote decide something.
// Runtime arguments: 0 what: 0 a branch, after some arithmetic, 1 the address of a load, 2 the address of a store,
// 3 where a jump goes, 4 how long a NoC request is, 5 how often pages are pushed, 1 L1 address, 2 another L1 address.
// Compile-time arguments: 0 circular buffer.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    const uint32_t what = get_arg_val<uint32_t>(0);
    const uint32_t address = get_arg_val<uint32_t>(1);
    const uint32_t other = get_arg_val<uint32_t>(2);
    const uint32_t unknown = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
    if (what == 0) {
        if ((unknown * 3 + 7) >> 5 == 0x1234) {
            riscv_wait(1);
        }
    } else if (what == 1) {
        static_cast<void>(*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(other + (unknown & 12)));
    } else if (what == 2) {
        *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(other + (unknown & 12)) = 1;
    } else if (what == 3) {
        asm volatile("jr %0" : : "r"(unknown & ~3u));
    } else if (what == 4) {
        noc_async_write_one_packet(other, get_noc_addr(other), unknown & 15);
    } else {
        *get_cb_tiles_received_ptr(cb) = unknown;
    }
}

// Writes a number to another core and counts up there.
// Runtime arguments: 0 semaphore that counts, 1 and 2 the other core's NoC coordinates, 3 L1 address of the number there,
// 4 number, 5 clocks before, 6 semaphore by which this core is asked, 7 whether it waits for that.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);

    riscv_wait(get_arg_val<uint32_t>(5));
    if (get_arg_val<uint32_t>(7) != 0) {
        noc_semaphore_wait(
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(6))), 1);
    }
    noc_inline_dw_write(get_noc_addr(x, y, get_arg_val<uint32_t>(3)), get_arg_val<uint32_t>(4));
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(get_arg_val<uint32_t>(0))), 1);
    noc_async_atomic_barrier();
}

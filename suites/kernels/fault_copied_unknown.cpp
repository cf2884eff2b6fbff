// Copies a line that nobody wrote to another tile and back, and branches on a word of it.
// Runtime arguments: 0 L1 address of the line, 1 L1 address at the other tile, 2 and 3 its NoC coordinates, 4 L1 address
// where the line comes back.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint64_t there =
        get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(1));
    const uint32_t back = get_arg_val<uint32_t>(4);
    noc_async_write(get_arg_val<uint32_t>(0), there, 32);
    noc_async_write_barrier();
    noc_async_read(there, back, 32);
    noc_async_read_barrier();
    if (*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(back + 28) == 5) {
        riscv_wait(1);
    }
}

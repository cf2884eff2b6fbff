// Decides by a word of L1 that nobody wrote.
// Runtime arguments: 0 L1 address.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    if (*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address) == 0x1234'5678) {
        riscv_wait(1);
    }
}

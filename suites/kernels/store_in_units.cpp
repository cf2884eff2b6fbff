// Stores four words to L1, at an address that the host gives in units of 16 bytes, as pointers of circular buffers are
// given to compute kernels.
// Compile-time arguments: 0 the address in units.
// Runtime arguments: 0 the first word.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t address = get_compile_time_arg_val(0) * 16;
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
    for (uint32_t index = 0; index < 4; ++index) {
        words[index] = get_arg_val<uint32_t>(0) + index;
    }
}

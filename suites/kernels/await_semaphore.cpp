// Waits until semaphore 0 has a value.
// Runtime arguments: 0 the value.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    noc_semaphore_wait(
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), get_arg_val<uint32_t>(0));
}

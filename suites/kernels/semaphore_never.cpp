// Waits for a semaphore that nobody sets.
// Runtime arguments: 0 semaphore, 1 value.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0))),
                       get_arg_val<uint32_t>(1));
}

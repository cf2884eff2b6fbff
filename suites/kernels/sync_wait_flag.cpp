// Waits for a flag and says so. Runtime arguments: 0 semaphore, 1 L1 address of the result.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0))), 7);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(1)) = 70;
}

// Raises a semaphore of this core to an address, for another kernel.
// Runtime arguments: 0 semaphore, 1 address.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t told = get_semaphore(get_arg_val<uint32_t>(0));
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(told), get_arg_val<uint32_t>(1));
}

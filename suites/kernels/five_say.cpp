// Stores a word into its tile's L1 and says so.
// Runtime arguments: 0 L1 address of the word, 1 number, 2 semaphore.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0)),
                      get_arg_val<uint32_t>(1));
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(2));
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 1);
}

// Stores a word to L1.
// Runtime arguments: 0 L1 address, 1 the word.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    *word = get_arg_val<uint32_t>(1);
}

// Pushes one page into each of the first circular buffers: four words, 10 times its index and the three after that.
// Runtime arguments: 0 circular buffers.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    for (uint32_t cb = 0; cb < count; ++cb) {
        cb_reserve_back(cb, 1);
        volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
        for (uint32_t word = 0; word < 4; ++word) {
            words[word] = 10 * cb + word;
        }
        // The words must be in L1 before the consumer learns of them.
        while (words[3] != 10 * cb + 3) {
        }
        cb_push_back(cb, 1);
    }
}

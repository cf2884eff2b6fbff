// Fills a circular buffer with numbers, word by word, and sends 256 bytes of it to another tile.
// Runtime arguments: 0 circular buffer, 1 and 2 the other tile's NoC coordinates, 3 L1 address there, 4 words.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t cb = get_arg_val<uint32_t>(0);
    const uint64_t there =
        get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3));
    const uint32_t words = get_arg_val<uint32_t>(4);
    volatile tt_l1_ptr uint32_t* page = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
    for (uint32_t i = 0; i < words; ++i) {
        page[i] = 5 + i;
    }
    // The stores have landed once the last word has been loaded back.
    while (page[words - 1] != 4 + words) {
    }
    noc_async_write(get_write_ptr(cb), there, 256);
    noc_async_write_barrier();
}

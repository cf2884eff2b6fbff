// Sends four words to its place among the lines of one tile: its number, and three more each one greater.
// Runtime arguments: 0 and 1 the tile's NoC coordinates, 2 L1 address of the lines there, 3 place, 4 number,
// 5 L1 scratch address.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t x = get_arg_val<uint32_t>(0);
    const uint32_t y = get_arg_val<uint32_t>(1);
    const uint32_t lines = get_arg_val<uint32_t>(2);
    const uint32_t place = get_arg_val<uint32_t>(3);
    const uint32_t number = get_arg_val<uint32_t>(4);
    const uint32_t l1_address = get_arg_val<uint32_t>(5);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t word = 0; word < 4; ++word) {
        words[word] = number + word;
    }
    // The words must be in L1 before a request reads them.
    while (words[3] != number + 3) {
    }
    noc_async_write(l1_address, get_noc_addr(x, y, lines + 16 * place), 16);
    noc_async_write_barrier();
}

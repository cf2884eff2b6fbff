// Writes a page to a tile and then raises a flag on another one with a word, or the other way round, waits until a word of
// its own tile is not 0, and ends without waiting for its writes. With RECEIVERS, page and flag go to all tiles of a
// rectangle, between the coordinates in arguments 1 and 2 and those in 6 and 7.
// Runtime arguments: 0 L1 address of the own word, 1 and 2 NoC coordinates of the flag's tile, 3 L1 address of the flag,
// 4 L1 address of the page, 5 L1 address of the place for it, 6 and 7 NoC coordinates of that place, 8 bytes of the page,
// 9 whether the flag is raised first.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t own = get_arg_val<uint32_t>(0);
    const auto answer = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(own);
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    const uint32_t place_x = get_arg_val<uint32_t>(6);
    const uint32_t place_y = get_arg_val<uint32_t>(7);
    const uint32_t page = get_arg_val<uint32_t>(4);
    const uint32_t bytes = get_arg_val<uint32_t>(8);
    const bool flag_is_first = get_arg_val<uint32_t>(9) != 0;

    // The page's first word is what the flag becomes.
#ifdef RECEIVERS
    const uint64_t tiles = get_noc_multicast_addr(x, y, place_x, place_y, 0);
    noc_async_write_multicast(page, tiles | get_arg_val<uint32_t>(5), bytes, RECEIVERS);
    noc_semaphore_set_multicast(page, tiles | get_arg_val<uint32_t>(3), RECEIVERS);
#else
    const uint64_t flag = get_noc_addr(x, y, get_arg_val<uint32_t>(3));
    const uint64_t place = get_noc_addr(place_x, place_y, get_arg_val<uint32_t>(5));
    if (!flag_is_first) {
        noc_async_write(page, place, bytes);
    }
    noc_semaphore_set_remote(page, flag);
    if (flag_is_first) {
        noc_async_write(page, place, bytes);
    }
#endif
    noc_semaphore_wait_min(answer, 1);
}

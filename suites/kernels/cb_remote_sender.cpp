// Fills its page of another tile's circular buffer each round, when it is told that there is room. The buffer lies at
// the same place on both tiles. The words of a page count on from 100 times its number.
// Compile-time arguments: 0 circular buffer.
// Runtime arguments: 0 semaphore that says "room", 1 semaphore that counts what came (at the receiver), 2 and 3 the
// receiver's NoC coordinates, 4 rounds, 5 senders, 6 which of them this is, 7 L1 scratch address for a page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    volatile tt_l1_ptr uint32_t* room =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    const uint32_t came = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t x = get_arg_val<uint32_t>(2);
    const uint32_t y = get_arg_val<uint32_t>(3);
    const uint32_t rounds = get_arg_val<uint32_t>(4);
    const uint32_t senders = get_arg_val<uint32_t>(5);
    const uint32_t own = get_arg_val<uint32_t>(6);
    const uint32_t l1_address = get_arg_val<uint32_t>(7);

    const LocalCBInterface& buffer = get_local_cb_interface(cb);
    const uint32_t page_size = buffer.fifo_page_size;
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t round = 0; round < rounds; ++round) {
        const uint32_t page = round * senders + own;
        uint32_t number = 100 * page;
        for (uint32_t word = 0; word < page_size / 4; ++word) {
            words[word] = number++;
        }
        // The words must be in L1 before a request reads them.
        while (words[page_size / 4 - 1] != number - 1) {
        }
        noc_semaphore_wait_min(room, round + 1);
        const uint32_t place = get_write_ptr(cb) + page % buffer.fifo_num_pages * page_size;
        noc_async_write(l1_address, get_noc_addr(x, y, place), page_size);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(x, y, came), 1);
    }
    noc_async_atomic_barrier();
}

// Does with a circular buffer what its arguments say, step by step.
// Runtime arguments: 0 circular buffer, 1 and 2 another tile's NoC coordinates, 3 L1 address there, 4 steps; then for each
// step three words: 0 reserve, 1 push, 2 wait for or 3 pop so many pages; 4 read from the other tile to so many bytes
// behind the write pointer, or 5 write there from so many bytes behind the read pointer, and how many bytes; 9 nothing.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t cb = get_arg_val<uint32_t>(0);
    const uint64_t there =
        get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3));
    const uint32_t end = 5 + 3 * get_arg_val<uint32_t>(4);
    for (uint32_t step = 5; step < end; step += 3) {
        const uint32_t number = get_arg_val<uint32_t>(step + 1);
        const uint32_t bytes = get_arg_val<uint32_t>(step + 2);
        switch (get_arg_val<uint32_t>(step)) {
            case 0: cb_reserve_back(cb, number); break;
            case 1: cb_push_back(cb, number); break;
            case 2: cb_wait_front(cb, number); break;
            case 3: cb_pop_front(cb, number); break;
            case 4:
                noc_async_read(there, get_write_ptr(cb) + number, bytes);
                noc_async_read_barrier();
                break;
            case 5:
                noc_async_write(get_read_ptr(cb) + number, there, bytes);
                noc_async_write_barrier();
                break;
        }
    }
}

// Fills a circular buffer page by page and empties it again, some rounds. In the last round it notes for each fill
// level which numbers of pages, from 0 to one more than there are, could be reserved and which are available: a bit
// for each.
// Compile-time arguments: 0 circular buffer, then the TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, two words for each level, 2 rounds.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t rounds = get_arg_val<uint32_t>(2);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    const int32_t capacity = get_local_cb_interface(cb).fifo_num_pages;
    for (uint32_t round = 0; round < rounds; ++round) {
        for (int32_t level = 0; level <= capacity; ++level) {
            if (level > 0) {
                cb_reserve_back(cb, 1);
                cb_push_back(cb, 1);
            }
            uint32_t reservable = 0;
            uint32_t available = 0;
            for (int32_t pages = 0; pages <= capacity + 1; ++pages) {
                reservable |= static_cast<uint32_t>(cb_pages_reservable_at_back(cb, pages)) << pages;
                available |= static_cast<uint32_t>(cb_pages_available_at_front(cb, pages)) << pages;
            }
            words[2 * level] = reservable;
            words[2 * level + 1] = available;
            // The words must be in L1 before a request reads them.
            while (words[2 * level + 1] != available) {
            }
        }
        cb_wait_front(cb, capacity);
        cb_pop_front(cb, capacity);
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 8 * (capacity + 1));
    noc_async_write_barrier();
}

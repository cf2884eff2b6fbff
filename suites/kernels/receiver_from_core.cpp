// Reads all pages of a buffer into a circular buffer, where they stay, and receives pages of another circular buffer from
// another core, a block at a time (sender_to_core.cpp).
// Compile-time arguments: 0 circular buffer of the pages that stay, 1 of those that come, 2 pages of a block, then the TensorAccessor.
// Runtime arguments: 0 buffer, 1 its pages, 2 semaphore that says "room" (at the sender), 3 semaphore that counts the blocks
// that came, 4 and 5 the sender's NoC coordinates, 6 blocks.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb_kept = get_compile_time_arg_val(0);
    constexpr uint32_t cb = get_compile_time_arg_val(1);
    constexpr uint32_t block = get_compile_time_arg_val(2);
    constexpr auto args = TensorAccessorArgs<3>();
    const uint32_t pages = get_arg_val<uint32_t>(1);
    const uint64_t room =
        get_noc_addr(get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5), get_semaphore(get_arg_val<uint32_t>(2)));
    volatile tt_l1_ptr uint32_t* came =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(3)));
    const uint32_t blocks = get_arg_val<uint32_t>(6);

    const uint32_t page_size = get_local_cb_interface(cb_kept).fifo_page_size;
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0), page_size);
    cb_reserve_back(cb_kept, pages);
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read(source.get_noc_addr(page), get_write_ptr(cb_kept) + page * page_size, page_size);
    }
    noc_async_read_barrier();
    cb_push_back(cb_kept, pages);

    for (uint32_t received = 0; received < blocks; ++received) {
        cb_reserve_back(cb, block);
        noc_semaphore_inc(room, 1);
        noc_semaphore_wait_min(came, received + 1);
        cb_push_back(cb, block);
    }
    noc_async_atomic_barrier();
}

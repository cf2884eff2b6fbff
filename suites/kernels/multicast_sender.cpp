// Reads a page from DRAM and sends it to a rectangle of tiles, then sets a semaphore on all of them.
// With LOOPBACK defined the sender lies inside the rectangle and receives too.
// On NoC 1 the start of the rectangle is the corner with the greater coordinates.
// Compile-time arguments: TensorAccessor of the source.
// Runtime arguments: 0 source, 1 page size in bytes, 2 L1 address (the same everywhere), 3 semaphore that
// says "sent", 4 semaphore that counts receivers that are ready, 5–8 the rectangle's start x, y, end x, y,
// 9 tiles that receive, 10 tiles that say that they are ready.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t page_size = get_arg_val<uint32_t>(1);
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(3));
    const uint32_t ready = get_semaphore(get_arg_val<uint32_t>(4));
    const uint32_t start_x = get_arg_val<uint32_t>(5);
    const uint32_t start_y = get_arg_val<uint32_t>(6);
    const uint32_t end_x = get_arg_val<uint32_t>(7);
    const uint32_t end_y = get_arg_val<uint32_t>(8);
    const uint32_t receivers = get_arg_val<uint32_t>(9);

    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0), page_size);
    noc_async_read(source.get_noc_addr(0), l1_address, page_size);
    noc_async_read_barrier();

    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready), get_arg_val<uint32_t>(10));
    const uint64_t data = get_noc_multicast_addr(start_x, start_y, end_x, end_y, l1_address);
    const uint64_t flag = get_noc_multicast_addr(start_x, start_y, end_x, end_y, sent);
#ifdef LOOPBACK
    noc_async_write_multicast_loopback_src(l1_address, data, page_size, receivers);
#else
    noc_async_write_multicast(l1_address, data, page_size, receivers);
#endif
    noc_async_write_barrier();
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sent), 1);
#ifdef LOOPBACK
    noc_semaphore_set_multicast_loopback_src(sent, flag, receivers);
#else
    noc_semaphore_set_multicast(sent, flag, receivers);
#endif
    noc_async_write_barrier();
}

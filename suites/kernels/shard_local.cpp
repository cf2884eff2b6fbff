// Writes the pages of the core's own shard, which it finds at the buffer's address in its own L1, to pages
// of an interleaved buffer one after the other.
// Compile-time arguments: TensorAccessor of the destination.
// Runtime arguments: 0 the shard's address, 1 bytes from page to page in the shard, 2 destination, 3 bytes of a
// page, 4 first page of the destination, 5 pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto destination_args = TensorAccessorArgs<0>();
    const uint32_t shard = get_arg_val<uint32_t>(0);
    const uint32_t stride = get_arg_val<uint32_t>(1);
    const uint32_t bytes = get_arg_val<uint32_t>(3);
    const uint32_t first = get_arg_val<uint32_t>(4);
    const uint32_t pages = get_arg_val<uint32_t>(5);

    const auto destination = TensorAccessor(destination_args, get_arg_val<uint32_t>(2));
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_write(shard + page * stride, destination.get_noc_addr(first + page), bytes);
    }
    noc_async_write_barrier();
}

// Copies pages `first`, `first + 1`, … of one buffer to another, through L1, whatever the layout of either.
// Compile-time arguments: TensorAccessor of the source, TensorAccessor of the destination.
// Common runtime arguments: those of the two accessors.
// Runtime arguments: 0 source, 1 destination, 2 L1 scratch address, 3 bytes of a page, 4 first page, 5 end of
// the pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0, 0>();
    constexpr auto destination_args = TensorAccessorArgs<source_args.next_compile_time_args_offset(),
                                                         source_args.next_common_runtime_args_offset()>();
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t bytes = get_arg_val<uint32_t>(3);
    const uint32_t end = get_arg_val<uint32_t>(5);

    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0));
    const auto destination = TensorAccessor(destination_args, get_arg_val<uint32_t>(1));
    for (uint32_t page = get_arg_val<uint32_t>(4); page < end; ++page) {
        noc_async_read(source.get_noc_addr(page), l1_address, bytes);
        noc_async_read_barrier();
        noc_async_write(l1_address, destination.get_noc_addr(page), bytes);
        noc_async_write_barrier();
    }
}

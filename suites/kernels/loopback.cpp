// Copies pages `first`, `first + step`, … of one interleaved buffer to another, through L1.
// Compile-time arguments: TensorAccessor of the source, TensorAccessor of the destination.
// Runtime arguments: 0 source, 1 destination, 2 L1 scratch address, 3 page size in bytes, 4 first page,
// 5 end of the pages, 6 step.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto destination_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t source_address = get_arg_val<uint32_t>(0);
    const uint32_t destination_address = get_arg_val<uint32_t>(1);
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t page_size = get_arg_val<uint32_t>(3);
    const uint32_t first = get_arg_val<uint32_t>(4);
    const uint32_t end = get_arg_val<uint32_t>(5);
    const uint32_t step = get_arg_val<uint32_t>(6);

    const auto source = TensorAccessor(source_args, source_address, page_size);
    const auto destination = TensorAccessor(destination_args, destination_address, page_size);
    for (uint32_t page = first; page < end; page += step) {
        noc_async_read(source.get_noc_addr(page), l1_address, page_size);
        noc_async_read_barrier();
        noc_async_write(l1_address, destination.get_noc_addr(page), page_size);
        noc_async_write_barrier();
    }
}

// One kernel uses both NoCs at once: even pages travel on NoC 0, odd ones on NoC 1. With the definition AWAITED, it waits for the
// reads of that NoC alone.
// Compile-time arguments: TensorAccessor of the source, TensorAccessor of the destination.
// Runtime arguments: 0 source, 1 destination, 2 L1 scratch address for all pages, 3 page size in bytes, a
// multiple of the DRAM's alignment, 4 pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto destination_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t page_size = get_arg_val<uint32_t>(3);
    const uint32_t pages = get_arg_val<uint32_t>(4);

    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0), page_size);
    const auto destination = TensorAccessor(destination_args, get_arg_val<uint32_t>(1), page_size);
    for (uint32_t page = 0; page < pages; ++page) {
        const uint8_t noc = page % 2;
        noc_async_read(source.get_noc_addr(page, 0, noc), l1_address + page * page_size, page_size, noc);
    }
#ifdef AWAITED
    noc_async_read_barrier(AWAITED);
#else
    noc_async_read_barrier(0);
    noc_async_read_barrier(1);
#endif
    for (uint32_t page = 0; page < pages; ++page) {
        const uint8_t noc = page % 2;
        noc_async_write(l1_address + page * page_size, destination.get_noc_addr(page, 0, noc), page_size, noc);
    }
    noc_async_write_barrier(0);
    noc_async_write_barrier(1);
}

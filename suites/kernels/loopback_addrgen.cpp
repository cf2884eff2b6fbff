// Copies all pages of one interleaved buffer to another with InterleavedAddrGen, the way kernels did
// before TensorAccessor.
// Compile-time arguments: 0 source is DRAM, 1 destination is DRAM.
// Runtime arguments: 0 source, 1 destination, 2 L1 scratch address, 3 page size in bytes, 4 pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr bool source_is_dram = get_compile_time_arg_val(0) != 0;
    constexpr bool destination_is_dram = get_compile_time_arg_val(1) != 0;
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t page_size = get_arg_val<uint32_t>(3);
    const uint32_t pages = get_arg_val<uint32_t>(4);

    const InterleavedAddrGen<source_is_dram> source = {
        .bank_base_address = get_arg_val<uint32_t>(0), .page_size = page_size};
    const InterleavedAddrGen<destination_is_dram> destination = {
        .bank_base_address = get_arg_val<uint32_t>(1), .page_size = page_size};
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read(get_noc_addr(page, source), l1_address, page_size);
        noc_async_read_barrier();
        noc_async_write(l1_address, get_noc_addr(page, destination), page_size);
        noc_async_write_barrier();
    }
}

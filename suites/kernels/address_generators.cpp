// Copies all pages of one interleaved buffer to another with the structures for pages of a power of two and for tiles, the way
// kernels did before TensorAccessor.
// Compile-time arguments: 0 the kind: 0 InterleavedPow2AddrGen, 1 InterleavedPow2AddrGenFast, 2 InterleavedAddrGenFast;
// 1 both buffers are DRAM, 2 the data format of kind 2, by its number.
// Runtime arguments: 0 source, 1 destination, 2 L1 scratch address, 3 page size in bytes, or its logarithm, 4 pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t kKind = get_compile_time_arg_val(0);
constexpr bool kIsDram = get_compile_time_arg_val(1) != 0;

template <typename AddrGen>
void copy(const AddrGen& source, const AddrGen& destination) {
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t pages = get_arg_val<uint32_t>(4);
    const uint32_t banks = AddrGen::is_dram ? NUM_DRAM_BANKS : NUM_L1_BANKS;
    for (uint32_t page = 0; page < pages; ++page) {
        // The address inside the tile of the bank is the low half.
        const uint32_t inside = source.get_addr(page, page / banks, page % banks, 0);
        if (inside != static_cast<uint32_t>(get_noc_addr(page, source))) {
            return;
        }
        noc_async_read_page(page, source, l1_address);
        noc_async_read_barrier();
        noc_async_write_page(page, destination, l1_address);
        noc_async_write_barrier();
    }
}

void kernel_main() {
    const uint32_t from = get_arg_val<uint32_t>(0);
    const uint32_t to = get_arg_val<uint32_t>(1);
    const uint32_t size = get_arg_val<uint32_t>(3);
    if constexpr (kKind == 0) {
        copy(InterleavedPow2AddrGen<kIsDram>{.bank_base_address = from, .log_base_2_of_page_size = size},
             InterleavedPow2AddrGen<kIsDram>{.bank_base_address = to, .log_base_2_of_page_size = size});
    } else if constexpr (kKind == 1) {
        copy(InterleavedPow2AddrGenFast<kIsDram>{.bank_base_address = from, .log_base_2_of_page_size = size},
             InterleavedPow2AddrGenFast<kIsDram>{.bank_base_address = to, .log_base_2_of_page_size = size});
    } else {
        constexpr DataFormat format = static_cast<DataFormat>(get_compile_time_arg_val(2));
        copy(InterleavedAddrGenFast<kIsDram>{.bank_base_address = from, .page_size = size, .data_format = format},
             InterleavedAddrGenFast<kIsDram>{.bank_base_address = to, .page_size = size, .data_format = format});
    }
}

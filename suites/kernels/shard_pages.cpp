// Copies pages of a tensor to the same pages of another one, in one of the ways in which kernels come by a page.
// Compile-time arguments: the way; whether to use the second description; the accessor of the source; a second description of
// the same memory: shards of two pages, of which neighbouring ones share a bank, on the banks of the source; the accessor of
// the destination.
// Ways: 0 every page, 1 every third page, by iterators that are compared from either side, 2 the pages of each shard,
// 3 shards by their coordinates, 4 the second half by its bank and place.
// Compile-time arguments for a check: 2,0,65,64,1,2,7,4,65,64,1,2147483650,7,2,2,64
// Common runtime arguments: the second description's number of banks, with the flag; those of the source.
// Runtime arguments: 0 source, 1 destination, 2 L1 scratch address, 3 number of pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

constexpr uint32_t way = get_compile_time_arg_val(0);

// What a loop of any way does with a page.
template <typename Destination>
void copy(uint64_t from, uint32_t page, const Destination& destination, uint32_t scratch, uint32_t size) {
    noc_async_read(from, scratch, size);
    noc_async_read_barrier();
    noc_async_write(scratch, destination.get_noc_addr(page), size);
    noc_async_write_barrier();
}

template <typename Source, typename Destination>
void copy_pages(const Source& source, const Destination& destination, uint32_t scratch, uint32_t pages) {
    const uint32_t size = source.get_aligned_page_size();
    if constexpr (way == 0) {
        const auto all = source.pages(0, pages);
        for (auto page = all.begin(); all.end() != page; ++page) {
            noc_async_read_page(page->page_id(), source, scratch);
            noc_async_read_barrier();
            copy((*page).noc_addr(), page->page_id(), destination, scratch, size);
        }
    } else if constexpr (way == 1) {
        auto page = source.pages(0, pages).begin();
        const auto end = source.pages(0, pages).end();
        for (; !(page == end); page += 3) {
            copy(page->noc_addr(), page->page_id(), destination, scratch, size);
        }
    } else if constexpr (way == 2) {
        for (const auto shard : source.strided_shard_pages()) {
            for (const auto page : shard) {
                copy(page.noc_addr(), page.page_id(), destination, scratch, size);
            }
        }
    } else if constexpr (way == 3) {
        const uint32_t shard_pages = source.dspec().shard_volume();
        for (uint32_t page = 0; page < pages; ++page) {
            struct Coordinate {
                uint32_t number;
                uint32_t operator[](int) const { return number; }
            };
            const uint64_t shard = source.get_shard_noc_addr(Coordinate{page / shard_pages});
            copy(shard + page % shard_pages * size, page, destination, scratch, size);
        }
    } else {
        for (const auto page : source.strided_pages()) {
            if (page.page_id() >= pages / 2) {
                copy(source.get_noc_addr(source.get_bank_and_offset(page.page_id())), page.page_id(), destination, scratch,
                     size);
            }
        }
    }
}

void kernel_main() {
    constexpr auto first = TensorAccessorArgs<2, 1>();
    constexpr uint32_t next = first.next_compile_time_args_offset();
    // A number of banks at run time stands in front of the coordinates.
    constexpr auto second = TensorAccessorArgs<next, TensorAccessorArgs<next>::num_banks_is_crta ? 0 : 1>();
    constexpr auto last = TensorAccessorArgs<second.next_compile_time_args_offset(), first.next_common_runtime_args_offset()>();
    const uint32_t base = get_arg_val<uint32_t>(0);
    const auto destination = TensorAccessor(last, get_arg_val<uint32_t>(1));
    const uint32_t scratch = get_arg_val<uint32_t>(2);
    const uint32_t pages = get_arg_val<uint32_t>(3);
    if constexpr (get_compile_time_arg_val(1) != 0) {
        copy_pages(TensorAccessor(second, base), destination, scratch, pages);
    } else {
        copy_pages(TensorAccessor(first, base), destination, scratch, pages);
    }
}

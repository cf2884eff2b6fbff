// A stage of a pipeline over tiles: takes pages from the tile before it, computes 3 * word + rank, and hands them to
// the tile after it. The first stage reads the pages from a buffer, the last one writes them to another. Each tile has
// `slots` places where pages arrive; semaphores count what has arrived and what has been taken.
// Compile-time arguments: TensorAccessors of the source and of the output.
// Runtime arguments: 0 source, 1 output, 2 page size in bytes, 3 pages, 4 rank, 5 stages, 6 slots, 7 semaphore that
// counts arrivals, 8 semaphore that counts places that were given back by the next stage, 9 and 10 the next tile's NoC
// coordinates, 11 and 12 those of the tile before, 13 L1 address of the slots, 14 L1 scratch for a page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t page_size = get_arg_val<uint32_t>(2);
    const uint32_t pages = get_arg_val<uint32_t>(3);
    const uint32_t rank = get_arg_val<uint32_t>(4);
    const uint32_t stages = get_arg_val<uint32_t>(5);
    const uint32_t slots = get_arg_val<uint32_t>(6);
    const uint32_t arrived = get_semaphore(get_arg_val<uint32_t>(7));
    const uint32_t given_back = get_semaphore(get_arg_val<uint32_t>(8));
    const uint32_t next_x = get_arg_val<uint32_t>(9);
    const uint32_t next_y = get_arg_val<uint32_t>(10);
    const uint32_t before_x = get_arg_val<uint32_t>(11);
    const uint32_t before_y = get_arg_val<uint32_t>(12);
    const uint32_t slot_address = get_arg_val<uint32_t>(13);
    const uint32_t scratch = get_arg_val<uint32_t>(14);

    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0), page_size);
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1), page_size);
    volatile tt_l1_ptr uint32_t* results = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(scratch);
    for (uint32_t page = 0; page < pages; ++page) {
        const uint32_t slot = slot_address + page % slots * page_size;
        if (rank == 0) {
            noc_async_read(source.get_noc_addr(page), slot, page_size);
            noc_async_read_barrier();
        } else {
            noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(arrived), page + 1);
        }
        volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(slot);
        uint32_t word = 0;
        for (; word < page_size / 4 - 1; ++word) {
            results[word] = 3 * words[word] + rank;
        }
        // The last store is in L1, and so are those before it, when a request reads the page.
        noc_semaphore_set(&results[word], 3 * words[word] + rank);
        if (rank != 0) {
            noc_semaphore_inc(get_noc_addr(before_x, before_y, given_back), 1);
        }
        if (rank + 1 == stages) {
            noc_async_write(scratch, output.get_noc_addr(page), page_size);
            noc_async_write_barrier();
        } else {
            if (page >= slots) {
                noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(given_back), page + 1 - slots);
            }
            noc_async_write(scratch, get_noc_addr(next_x, next_y, slot), page_size);
            noc_async_write_barrier();
            noc_semaphore_inc(get_noc_addr(next_x, next_y, arrived), 1);
        }
    }
    noc_async_atomic_barrier();
}

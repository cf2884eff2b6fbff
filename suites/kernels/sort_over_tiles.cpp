// Sorts a buffer over a row of tiles, a page each: every tile sorts its page, then neighbours exchange pages, in turn
// with the one before and the one after, and keep the smaller and the larger half, as often as there are tiles.
// Compile-time arguments: TensorAccessors of the source and of the output.
// Runtime arguments: 0 source, 1 output, 2 page size in bytes, 3 rank, 4 ranks, 5 and 6 the NoC coordinates of the
// tile before, 7 and 8 those of the tile after, 9 and 10 semaphores that count what came from either, 11 L1 scratch
// for the own page, 12 for the pages of others, four in turn, 13 for the merged page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t page_size = get_arg_val<uint32_t>(2);
    const uint32_t rank = get_arg_val<uint32_t>(3);
    const uint32_t ranks = get_arg_val<uint32_t>(4);
    const uint32_t from_before = get_semaphore(get_arg_val<uint32_t>(9));
    const uint32_t from_after = get_semaphore(get_arg_val<uint32_t>(10));
    uint32_t own = get_arg_val<uint32_t>(11);
    const uint32_t others = get_arg_val<uint32_t>(12);
    uint32_t merged = get_arg_val<uint32_t>(13);
    const uint32_t count = page_size / 4;

    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0), page_size);
    noc_async_read(source.get_noc_addr(rank), own, page_size);
    noc_async_read_barrier();
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(own);
    for (uint32_t end = 1; end < count; ++end) {
        const uint32_t word = words[end];
        uint32_t place = end;
        for (; place > 0 && words[place - 1] > word; --place) {
            words[place] = words[place - 1];
        }
        words[place] = word;
    }
    noc_semaphore_set(words, words[0]);

    uint32_t exchanges_before = 0;
    uint32_t exchanges_after = 0;
    for (uint32_t round = 0; round < ranks; ++round) {
        const bool with_next = (rank + round) % 2 == 0;
        if (with_next ? rank + 1 == ranks : rank == 0) {
            continue;
        }
        const uint32_t x = get_arg_val<uint32_t>(with_next ? 7 : 5);
        const uint32_t y = get_arg_val<uint32_t>(with_next ? 8 : 6);
        // A neighbour may be two rounds ahead, until it waits for this tile's page: four places are enough for both.
        const uint32_t theirs = others + round % 4 * page_size;
        noc_async_write(own, get_noc_addr(x, y, theirs), page_size);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(x, y, with_next ? from_before : from_after), 1);
        const uint32_t exchanges = with_next ? ++exchanges_after : ++exchanges_before;
        noc_semaphore_wait_min(
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(with_next ? from_after : from_before), exchanges);

        const volatile tt_l1_ptr uint32_t* mine = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(own);
        const volatile tt_l1_ptr uint32_t* other = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(theirs);
        volatile tt_l1_ptr uint32_t* result = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(merged);
        if (with_next) {
            uint32_t from_mine = 0;
            uint32_t from_other = 0;
            for (uint32_t place = 0; place < count; ++place) {
                const uint32_t one = mine[from_mine];
                const uint32_t two = other[from_other];
                from_mine += one <= two ? 1 : 0;
                from_other += one <= two ? 0 : 1;
                result[place] = one <= two ? one : two;
            }
        } else {
            uint32_t from_mine = count;
            uint32_t from_other = count;
            for (uint32_t place = count; place > 0; --place) {
                const uint32_t one = mine[from_mine - 1];
                const uint32_t two = other[from_other - 1];
                from_mine -= one > two ? 1 : 0;
                from_other -= one > two ? 0 : 1;
                result[place - 1] = one > two ? one : two;
            }
        }
        noc_semaphore_set(result, result[0]);
        const uint32_t before = own;
        own = merged;
        merged = before;
    }
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1), page_size);
    noc_async_write(own, output.get_noc_addr(rank), page_size);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}

// Every tile reduces the pages `rank`, `rank` + `ranks`, … of a buffer to one word, and a tree of tiles reduces those:
// a tile waits for its children, takes in their words and sends what it has to its parent. The root writes the result
// and how many tiles are in it to page 0 of the output.
// Every tile needs a page at least.
// Compile-time arguments: 0 the operation (0 sum, 1 exclusive or, 2 smallest, 3 largest), then TensorAccessors of the
// source and of the output.
// Runtime arguments: 0 source, 1 output, 2 page size in bytes, 3 pages, 4 rank, 5 ranks, 6 semaphore that counts
// children, 7 and 8 the parent's NoC coordinates, 9 L1 scratch for a page, 10 L1 landing place, 16 bytes for each
// child, 11 L1 scratch of 16 bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

inline uint32_t reduced(uint32_t left, uint32_t right) {
    switch (get_compile_time_arg_val(0)) {
        case 0: return left + right;
        case 1: return left ^ right;
        case 2: return left < right ? left : right;
        default: return left < right ? right : left;
    }
}

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<1>();
    constexpr auto output_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t page_size = get_arg_val<uint32_t>(2);
    const uint32_t pages = get_arg_val<uint32_t>(3);
    const uint32_t rank = get_arg_val<uint32_t>(4);
    const uint32_t ranks = get_arg_val<uint32_t>(5);
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(6));
    const uint32_t page_address = get_arg_val<uint32_t>(9);
    const uint32_t landing = get_arg_val<uint32_t>(10);
    const uint32_t line_address = get_arg_val<uint32_t>(11);

    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0), page_size);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(page_address);
    uint32_t result = 0;
    for (uint32_t page = rank; page < pages; page += ranks) {
        noc_async_read(source.get_noc_addr(page), page_address, page_size);
        noc_async_read_barrier();
        uint32_t word = 0;
        if (page == rank) {
            result = words[word++];
        }
        for (; word < page_size / 4; ++word) {
            result = reduced(result, words[word]);
        }
    }

    // Children are the ranks that differ in one bit below the lowest one of this rank.
    uint32_t children = 0;
    uint32_t stride = 1;
    while (stride < ranks && (rank & stride) == 0) {
        children += rank + stride < ranks ? 1 : 0;
        stride <<= 1;
    }
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), children);
    uint32_t tiles = 1;
    for (uint32_t child = 0; child < children; ++child) {
        volatile tt_l1_ptr uint32_t* line = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(landing + 16 * child);
        result = reduced(result, line[0]);
        tiles += line[1];
    }
    volatile tt_l1_ptr uint32_t* line = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(line_address);
    line[0] = result;
    line[1] = tiles;
    line[2] = rank;
    // The last store is in L1, and so are those before it, when a request reads the line.
    noc_semaphore_set(&line[3], 0);
    if (rank == 0) {
        const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1));
        noc_async_write(line_address, output.get_noc_addr(0), 16);
        noc_async_write_barrier();
        return;
    }
    // The loop above ended at the lowest bit of this rank: the place among the parent's children.
    uint32_t place = 0;
    while ((1u << place) != stride) {
        ++place;
    }
    const uint32_t x = get_arg_val<uint32_t>(7);
    const uint32_t y = get_arg_val<uint32_t>(8);
    noc_async_write(line_address, get_noc_addr(x, y, landing + 16 * place), 16);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, semaphore), 1);
    noc_async_atomic_barrier();
}

// Tells what it found of everything that a program can be given, for programs of any shape: one line per core.
// Definition PAD: instructions that the kernel is longer by.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch of 64 bytes, 2 page, 3 unique words from index 8 on, 4 common words,
// 5 semaphores, 6 circular buffers (indices from 0 on), 7 rounds of a loop.
// Words of the line: sums, each thing times its place counted from 1, of 0 the unique words, 1 the common ones, 2 the
// semaphores' values, 3 the circular buffers' page sizes, 4 their pages; 5 the sum of the squares of the rounds, 6 the
// page, 7 PAD; 8 to 15 are 0.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t page = get_arg_val<uint32_t>(2);

    uint32_t unique = 0;
    for (uint32_t index = 0; index < get_arg_val<uint32_t>(3); ++index) {
        unique += (index + 1) * get_arg_val<uint32_t>(8 + index);
    }
    uint32_t common = 0;
    for (uint32_t index = 0; index < get_arg_val<uint32_t>(4); ++index) {
        common += (index + 1) * get_common_arg_val<uint32_t>(index);
    }
    uint32_t semaphores = 0;
    for (uint32_t index = 0; index < get_arg_val<uint32_t>(5); ++index) {
        semaphores += (index + 1) * *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(index));
    }
    uint32_t page_sizes = 0;
    uint32_t pages = 0;
    for (uint32_t index = 0; index < get_arg_val<uint32_t>(6); ++index) {
        page_sizes += (index + 1) * get_local_cb_interface(index).fifo_page_size;
        pages += (index + 1) * get_local_cb_interface(index).fifo_num_pages;
    }
    uint32_t squares = 0;
    for (uint32_t round = 0; round < get_arg_val<uint32_t>(7); ++round) {
        squares += round * round;
    }
    uint32_t pad = 0;
    asm volatile(".rept " TEXT_OF(PAD) "\naddi %0, %0, 1\n.endr" : "+r"(pad));

    volatile tt_l1_ptr uint32_t* line = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    line[0] = unique;
    line[1] = common;
    line[2] = semaphores;
    line[3] = page_sizes;
    line[4] = pages;
    line[5] = squares;
    line[6] = page;
    line[7] = pad;
    for (uint32_t word = 8; word < 15; ++word) {
        line[word] = 0;
    }
    // The last store is in L1, and so are those before it, when a request reads the line.
    noc_semaphore_set(&line[15], 0);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(page), 64);
    noc_async_write_barrier();
}

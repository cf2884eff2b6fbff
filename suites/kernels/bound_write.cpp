// The second half of a copy in which every number has a name that the host binds: adds a number to each word of the pages,
// in a scratchpad, and writes them to a tensor. The host makes `kernel_main`, which passes the arguments by their names.
#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/scratchpad.h"
#include "api/tensor/noc_traits.h"

template <uint32_t words_of_a_page>
TT_KERNEL void write(uint32_t first, uint32_t pages, uint32_t number) {
    Noc noc;
    DataflowBuffer in(dfb::in);
    Semaphore start(sem::start);
    start.up(3);
    const TensorAccessor target(tensor::target);
    const Scratchpad<volatile uint32_t> line(scratch::line);
    for (uint32_t page = first; page < first + pages; ++page) {
        in.wait_front(1);
        CoreLocalMem<volatile uint32_t> words(in.get_read_ptr());
        uint32_t sum = 0;
        for (uint32_t word = 0; word < words_of_a_page; ++word) {
            sum = words[word] + number;
            line[word] = sum;
        }
        // The NoC must not read a word before its store is in L1: wait until the last one loads back.
        while (line[words_of_a_page - 1] != sum) {
        }
        in.pop_front(1);
        noc.async_write(line, target, words_of_a_page * sizeof(uint32_t), {}, {.page_id = page});
        noc.async_write_barrier();
    }
}

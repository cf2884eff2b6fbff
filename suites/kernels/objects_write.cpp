// The second half of a copy with objects: adds a number to each word of a circular buffer and writes its pages to a tensor.
// Compile-time arguments: the buffer's index, then the tensor's accessor.
// Runtime arguments: the tensor's address, the first page, the number of pages, the number.
// Compile-time arguments for a check: 0,2,64,0,64,2,64,1,2,3,4
#include <algorithm>
#include <array>
#include <limits>

#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr uint32_t index = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto target = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);
    const std::array<uint32_t, 2> numbers = {get_arg_val<uint32_t>(3), std::numeric_limits<uint32_t>::max()};

    Noc noc;
    CircularBuffer stage(index);
    for (uint32_t page = first; page < first + pages; ++page) {
        stage.wait_front(1);
        const uint32_t size = target.get_aligned_page_size();
        CoreLocalMem<volatile uint32_t> words(stage.get_read_ptr());
        uint32_t sum = 0;
        for (uint32_t word = 0; word < size / sizeof(uint32_t); ++word) {
            sum = words[word] + std::min(numbers[0], numbers[1]);
            words[word] = sum;
        }
        // The NoC must not read a word before its store is in L1: wait until the last one loads back.
        while (words[size / sizeof(uint32_t) - 1] != sum) {
        }
        noc.async_write(stage, target, size, {.offset_bytes = 0}, {.page_id = page});
        noc.async_writes_flushed();
        stage.pop_front(1);
    }
    noc.async_write_barrier();
}

// Takes two pages of a circular buffer and writes, for each word, 0 where they are equal and 1 where they differ.
// Compile-time arguments: 0 circular buffer, 1 page size in bytes, 2 and on the output's accessor.
// Runtime arguments: 0 output.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t page_size = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    const auto dst = TensorAccessor(args, get_arg_val<uint32_t>(0), page_size);

    cb_wait_front(cb, 2);
    const uint32_t one = get_read_ptr(cb);
    auto* const words = reinterpret_cast<volatile uint32_t*>(one);
    for (uint32_t word = 0; word < page_size / 4; ++word) {
        words[word] = words[word] != words[page_size / 4 + word];
    }
    // The stores have landed when the last word is loaded back.
    if (words[page_size / 4 - 1] > 1) {
        return;
    }
    noc_async_write(one, dst.get_noc_addr(0), page_size);
    noc_async_write_barrier();
    cb_pop_front(cb, 2);
}

// Adds up the words of the pages of a circular buffer and writes the sum of each to the output. ORDER says how:
// 0 it waits for a page, reads and gives it back, as it must, 1 it reads before it waits, 2 it gives back before it
// reads, 3 it neither waits nor gives back.
// Compile-time arguments: 0 circular buffer, then the TensorAccessor of the output, whose pages hold a sum.
// Runtime arguments: 0 output, 1 L1 address of a line, 2 pages, 3 words of a page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);
    const uint32_t words = get_arg_val<uint32_t>(3);

    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0), 16);
    for (uint32_t page = 0; page < pages; ++page) {
        const volatile tt_l1_ptr uint32_t* place =
            reinterpret_cast<const volatile tt_l1_ptr uint32_t*>(get_read_ptr(cb));
#if ORDER == 0 || ORDER == 2
        cb_wait_front(cb, 1);
#endif
#if ORDER == 2
        cb_pop_front(cb, 1);
#endif
        uint32_t sum = 0;
        for (uint32_t word = 0; word < words; ++word) {
            sum += place[word];
        }
#if ORDER == 1
        cb_wait_front(cb, 1);
#endif
#if ORDER == 0 || ORDER == 1
        cb_pop_front(cb, 1);
#endif
        noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address), sum);
        noc_async_write(l1_address, output.get_noc_addr(page), 4);
        noc_async_write_barrier();
    }
}

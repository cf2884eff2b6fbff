// Looks at one memory through two circular buffers with pages of different sizes. Writes how far their pointers lie
// apart, the sizes and numbers of their pages, what was stored through the one and loaded through the other, and how
// far a push moves each.
// Compile-time arguments: 0 and 1 circular buffers, then the TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 number.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t first = get_compile_time_arg_val(0);
    constexpr uint32_t second = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t number = get_arg_val<uint32_t>(2);

    const uint32_t start = get_write_ptr(first);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    words[0] = get_write_ptr(second) - start;
    words[1] = get_local_cb_interface(first).fifo_page_size;
    words[2] = get_local_cb_interface(first).fifo_num_pages;
    words[3] = get_local_cb_interface(second).fifo_page_size;
    words[4] = get_local_cb_interface(second).fifo_num_pages;
    cb_reserve_back(first, 1);
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(first)), number);
    words[5] = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(second));
    cb_push_back(first, 1);
    cb_reserve_back(second, 1);
    cb_push_back(second, 1);
    words[6] = get_write_ptr(first) - start;
    const uint32_t last = get_write_ptr(second) - start;
    words[7] = last;
    // The words must be in L1 before a request reads them.
    while (words[7] != last) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 32);
    noc_async_write_barrier();
}

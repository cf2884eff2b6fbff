// Writes where circular buffers lie: for each, its address less that of the first one (or less a base), its
// pages and its page size, three words each, to a page.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 page, 3 base or 0, 4 how many, 5 and on their indices.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t page = get_arg_val<uint32_t>(2);
    uint32_t base = get_arg_val<uint32_t>(3);
    const uint32_t count = get_arg_val<uint32_t>(4);

    if (base == 0) {
        base = get_write_ptr(get_arg_val<uint32_t>(5));
    }
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    uint32_t last = 0;
    for (uint32_t number = 0; number < count; ++number) {
        const uint32_t cb = get_arg_val<uint32_t>(5 + number);
        words[3 * number] = get_write_ptr(cb) - base;
        words[3 * number + 1] = get_local_cb_interface(cb).fifo_num_pages;
        last = get_local_cb_interface(cb).fifo_page_size;
        words[3 * number + 2] = last;
    }
    // The words must be in L1 before a request reads them.
    while (words[3 * count - 1] != last) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(page), 12 * count);
    noc_async_write_barrier();
}

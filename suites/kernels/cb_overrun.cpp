// Pushes and pops pages twice. A pointer goes back to the start only where it meets the end exactly, as upstream:
// writes how far the pointers are from the start after each time, and how far the end is.
// Compile-time arguments: 0 circular buffer, then the TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 pages the first time, 3 pages the second time.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    const uint32_t start = get_write_ptr(cb);
    for (uint32_t time = 0; time < 2; ++time) {
        const uint32_t pages = get_arg_val<uint32_t>(2 + time);
        cb_reserve_back(cb, pages);
        cb_push_back(cb, pages);
        words[2 * time] = get_write_ptr(cb) - start;
        cb_wait_front(cb, pages);
        cb_pop_front(cb, pages);
        words[2 * time + 1] = get_read_ptr(cb) - start;
    }
    words[4] = get_local_cb_interface(cb).fifo_limit - start;
    words[5] = 0;
    words[6] = 0;
    words[7] = 0x600D;
    // The words must be in L1 before a request reads them.
    while (words[7] != 0x600D) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 32);
    noc_async_write_barrier();
}

// Reads pages of an interleaved buffer into a circular buffer in chunks of several sizes, again and again.
// Compile-time arguments: 0 circular buffer, then the TensorAccessor.
// Runtime arguments: 0 buffer, 1 cycles, 2 chunks in a cycle, then the pages of each chunk.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const uint32_t cycles = get_arg_val<uint32_t>(1);
    const uint32_t chunks = get_arg_val<uint32_t>(2);

    const uint32_t page_size = get_local_cb_interface(cb).fifo_page_size;
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0), page_size);
    uint32_t next = 0;
    for (uint32_t cycle = 0; cycle < cycles; ++cycle) {
        for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
            const uint32_t pages = get_arg_val<uint32_t>(3 + chunk);
            cb_reserve_back(cb, pages);
            uint32_t l1_address = get_write_ptr(cb);
            for (uint32_t page = 0; page < pages; ++page) {
                noc_async_read(source.get_noc_addr(next++), l1_address, page_size);
                l1_address += page_size;
            }
            noc_async_read_barrier();
            cb_push_back(cb, pages);
        }
    }
}

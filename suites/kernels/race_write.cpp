// Writes numbers to pages from one line of its own, which it fills anew for each page. WAIT says what it waits for
// before that: 0 nothing, 1 that the data has left, 2 that it has arrived.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address of the line, 2 pages of 32 bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);

    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0), 32);
    volatile tt_l1_ptr uint32_t* line = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t page = 0; page < pages; ++page) {
        for (uint32_t word = 0; word < 8; ++word) {
            noc_semaphore_set(line + word, 8 * page + word);
        }
        noc_async_write(l1_address, output.get_noc_addr(page), 32);
#if WAIT == 1
        noc_async_writes_flushed();
#elif WAIT == 2
        noc_async_write_barrier();
#endif
    }
    noc_async_write_barrier();
}

// Waits for a flag and writes what came before it to its page.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 page size in bytes, 2 L1 address of what came, 3 semaphore, 4 page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t page_size = get_arg_val<uint32_t>(1);
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(3));

    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sent), 1);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0), page_size);
    noc_async_write(get_arg_val<uint32_t>(2), output.get_noc_addr(get_arg_val<uint32_t>(4)), page_size);
    noc_async_write_barrier();
}

// Writes one page of each of the first circular buffers to a page of its own, the last one first.
// Compile-time arguments: TensorAccessor of the output, whose pages have 16 bytes.
// Runtime arguments: 0 output, 1 circular buffers.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0), 16);
    for (uint32_t cb = get_arg_val<uint32_t>(1); cb-- > 0;) {
        cb_wait_front(cb, 1);
        noc_async_write(get_read_ptr(cb), output.get_noc_addr(cb), 16);
        noc_async_write_barrier();
        cb_pop_front(cb, 1);
    }
}

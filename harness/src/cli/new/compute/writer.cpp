// Writes tiles to a buffer, one after the other.
// Compile-time arguments: 0 circular buffer, 1 tiles, then the buffer's TensorAccessor.
// Runtime arguments: 0 buffer.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr uint32_t tiles = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    const auto destination = TensorAccessor(args, get_arg_val<uint32_t>(0));

    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(cb, 1);
        noc_async_write_page(tile, destination, get_read_ptr(cb));
        noc_async_write_barrier();
        cb_pop_front(cb, 1);
    }
}

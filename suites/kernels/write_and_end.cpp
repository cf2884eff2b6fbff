// Counts some rounds, writes bytes of this tile's L1 to the first page of a buffer, and ends when they have left, without
// waiting for them to arrive.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address, 2 size in bytes, 3 rounds.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));

    for (uint32_t round = get_arg_val<uint32_t>(3); round != 0; --round) {
        asm volatile("");
    }
    noc_async_write(get_arg_val<uint32_t>(1), output.get_noc_addr(0), get_arg_val<uint32_t>(2));
    noc_async_writes_flushed();
}

// Writes words into the L1 of two other tiles by inline writes that share what was set up before, and reads them back. Last, a
// posted one raises a semaphore of the first tile.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 and 2 the first tile's NoC coordinates, 3 and 4 the second's, 5 L1 address (on all tiles) of
// 8 words, 6 first value, 7 semaphore.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(5);
    const uint32_t value = get_arg_val<uint32_t>(6);
    const uint64_t first = get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), l1_address);
    const uint64_t second = get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4), l1_address);

    // Word 0 with the value of the state; word 1 with another one, which word 3 has as well.
    noc_inline_dw_write_set_state<false, true>(first, value);
    noc_inline_dw_write_with_state(0);
    noc_inline_dw_write_with_state<true, true, false, false, true>(value + 1, l1_address + 4);
    noc_inline_dw_write_with_state<true>(0, l1_address + 12);
    // Word 4 of both tiles: the second differs in the coordinates alone.
    noc_inline_dw_write_set_state(first + 16);
    noc_inline_dw_write_with_state<false, true, false, false, true>(value + 4);
    noc_inline_dw_write_with_state<false, true, false, true, true>(value + 5, static_cast<uint32_t>(second >> 32));
    noc_async_write_barrier();

    noc_async_read(first, l1_address, 32);
    noc_async_read(second + 16, l1_address + 48, 4);
    noc_async_read_barrier();
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 64);
    noc_async_write_barrier();

    const uint64_t semaphore =
        get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_semaphore(get_arg_val<uint32_t>(7)));
    noc_inline_dw_write_set_state<true>(semaphore);
    noc_inline_dw_write_with_state<false, true, true, false, true>(7);
    noc_async_posted_writes_flushed();
}

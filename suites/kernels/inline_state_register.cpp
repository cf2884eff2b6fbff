// Writes a word into a register of another tile by inline writes that share what was set up before, and reads it back.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 and 2 the other tile's NoC coordinates, 3 L1 scratch address, 4 circular buffer, which nothing
// uses, 5 number of 16 bits.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    const uint32_t l1_address = get_arg_val<uint32_t>(3);
    const uint32_t number = get_arg_val<uint32_t>(5);
    // Count what is popped from a circular buffer and pushed; they only hold what they are given.
    const uint32_t popped = reinterpret_cast<uint32_t>(get_cb_tiles_acked_ptr(get_arg_val<uint32_t>(4)));
    const uint32_t pushed = reinterpret_cast<uint32_t>(get_cb_tiles_received_ptr(get_arg_val<uint32_t>(4)));

    noc_inline_dw_write_set_state<false, true>(get_noc_addr(x, y, popped), number);
    noc_inline_dw_write_with_state<false, true, false, false, false, InlineWriteDst::REG>(0);
    noc_inline_dw_write_with_state<true, true, false, false, true, InlineWriteDst::DEFAULT>(number + 1, pushed);
    noc_async_write_barrier();
    noc_async_read(get_noc_addr(x, y, popped), l1_address, 4);
    noc_async_read(get_noc_addr(x, y, pushed), l1_address + 16, 4);
    noc_async_read_barrier();
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4);
    noc_async_write(l1_address + 16, output.get_noc_addr(1), 4);
    noc_async_write_barrier();
}

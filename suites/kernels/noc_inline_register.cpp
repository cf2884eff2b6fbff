// Writes a word into a register of another tile without a source in L1, and reads it back.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 and 2 the other tile's NoC coordinates, 3 L1 scratch address, 4 circular
// buffer, which nothing uses, 5 number of 16 bits.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    const uint32_t l1_address = get_arg_val<uint32_t>(3);
    // Counts what is popped from a circular buffer; it only holds what it is given.
    volatile tt_reg_ptr uint32_t* popped = get_cb_tiles_acked_ptr(get_arg_val<uint32_t>(4));
    const uint64_t place = get_noc_addr(x, y, reinterpret_cast<uint32_t>(popped));

    noc_inline_dw_write<InlineWriteDst::REG>(place, get_arg_val<uint32_t>(5));
    noc_async_write_barrier();
    noc_async_read(place, l1_address, 4);
    noc_async_read_barrier();
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4);
    noc_async_write_barrier();
}

// Writes words into another tile's L1 without a source in L1, reads them back and writes them to DRAM.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 and 2 the other tile's NoC coordinates, 3 L1 address (on both tiles),
// 4 words, 5 first value; each next one is 3 greater.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    const uint32_t l1_address = get_arg_val<uint32_t>(3);
    const uint32_t words = get_arg_val<uint32_t>(4);
    uint32_t value = get_arg_val<uint32_t>(5);

    for (uint32_t word = 0; word < words; ++word) {
        noc_inline_dw_write(get_noc_addr(x, y, l1_address + 4 * word), value);
        value += 3;
    }
    noc_async_write_barrier();
    noc_async_read(get_noc_addr(x, y, l1_address), l1_address, 4 * words);
    noc_async_read_barrier();
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4 * words);
    noc_async_write_barrier();
}

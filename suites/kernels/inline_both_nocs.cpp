// Writes words into another tile's L1 without a source in L1, by turns on both NoCs and without waiting in between, reads
// them back and writes them to DRAM: words of NoC 0 first, behind them those of NoC 1.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 and 2 the other tile's NoC coordinates, 3 L1 address (on both tiles), 4 words of each NoC,
// 5 first value; each next one is 3 greater.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    const uint32_t l1_address = get_arg_val<uint32_t>(3);
    const uint32_t words = get_arg_val<uint32_t>(4);
    const uint32_t first = get_arg_val<uint32_t>(5);

    for (uint32_t word = 0; word < words; ++word) {
        for (uint8_t noc = 0; noc < 2; ++noc) {
            const uint32_t place = noc * words + word;
            noc_inline_dw_write(get_noc_addr(x, y, l1_address + 4 * place, noc), first + 3 * place, 0xF, noc);
        }
    }
    noc_async_write_barrier(0);
    noc_async_write_barrier(1);
    noc_async_read(get_noc_addr(x, y, l1_address), l1_address, 8 * words);
    noc_async_read_barrier();
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 8 * words);
    noc_async_write_barrier();
}

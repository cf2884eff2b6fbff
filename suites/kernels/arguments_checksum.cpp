// Writes a checksum of its runtime arguments to a page: two words, of the unique ones from index 5 on and
// of the common ones, each the sum of the words times their place, counted from 1.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 page, 3 unique words, 4 common words.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t page = get_arg_val<uint32_t>(2);
    const uint32_t unique = get_arg_val<uint32_t>(3);
    const uint32_t common = get_arg_val<uint32_t>(4);

    uint32_t unique_sum = 0;
    for (uint32_t index = 0; index < unique; ++index) {
        unique_sum += (index + 1) * get_arg_val<uint32_t>(5 + index);
    }
    uint32_t common_sum = 0;
    for (uint32_t index = 0; index < common; ++index) {
        common_sum += (index + 1) * get_common_arg_val<uint32_t>(index);
    }
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    words[0] = unique_sum;
    words[1] = common_sum;
    // The words must be in L1 before a request reads them.
    while (words[1] != common_sum) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(page), 8);
    noc_async_write_barrier();
}

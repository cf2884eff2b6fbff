// Every core writes its logical coordinates, its coordinates in requests on NoC 0, its rank and its
// coordinates in requests on NoC 1 to its page.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 rank, which is also the page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t rank = get_arg_val<uint32_t>(2);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    words[0] = get_absolute_logical_x();
    words[1] = get_absolute_logical_y();
    words[2] = my_x[0];
    words[3] = my_y[0];
    words[4] = rank;
    words[5] = my_x[1];
    words[6] = my_y[1];
    words[7] = 0x600D;
    // The words must be in L1 before a request reads them.
    while (words[7] != 0x600D) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(rank), 32);
    noc_async_write_barrier();
}

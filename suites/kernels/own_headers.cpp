// Writes what comes of a number through functions of two headers of the suites' own, one of which includes the other.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 number.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "shared/polynomial.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    const uint32_t number = get_arg_val<uint32_t>(2);
    noc_semaphore_set(words, polynomial::square_and_more(number));
    noc_semaphore_set(words + 1, polynomial::cube_and_more(number));
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 8);
    noc_async_write_barrier();
}

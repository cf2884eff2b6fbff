// Writes what comes of a number of which it asserts three things.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 number: an even one below 16, and not 6.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "shared/asserted.h"

static_assert(asserted::below(15, 16) == 15, "an assertion that holds is a constant expression");

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t number = get_arg_val<uint32_t>(2);

    uint32_t result = asserted::below(number, 16);
    if (number > 0)
        ASSERT(number != 6);
    else
        ASSERT(result == 0);
    result = asserted::remainder_free(result, uint32_t{2});

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    words[0] = result;
    // The word must be in L1 before a request reads it.
    while (words[0] != result) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4);
    noc_async_write_barrier();
}

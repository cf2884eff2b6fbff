// Writes an argument of its own and a common one to its page, then adds 1 to both where they lie in L1: whoever
// launches it again must hand out what the host program set.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 page, 3 the number. Common: 0 a number.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    volatile tt_l1_ptr uint32_t* own = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_addr(3));
    volatile tt_l1_ptr uint32_t* common = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_common_arg_addr(0));

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    words[0] = *own;
    noc_semaphore_set(words + 1, *common);
    *own = *own + 1;
    *common = *common + 1;
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(get_arg_val<uint32_t>(2)), 8);
    noc_async_write_barrier();
}

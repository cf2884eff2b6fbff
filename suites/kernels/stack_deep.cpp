// Calls itself to a depth that the stack has room for, and writes the sum of the depths to its page. Variables with
// first values stand beside; what they hold afterwards is written too.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 depth.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

namespace {

uint32_t volatile guard[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

__attribute__((noinline)) uint32_t dive(uint32_t depth) {
    volatile uint32_t here[4];
    here[depth % 4] = depth;
    return depth == 0 ? 0 : dive(depth - 1) + here[depth % 4];
}

}  // namespace

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    words[0] = dive(get_arg_val<uint32_t>(2));
    uint32_t sum = 0;
    for (uint32_t index = 0; index < 16; ++index) {
        sum += guard[index];
    }
    words[1] = sum;
    words[2] = 0;
    noc_semaphore_set(&words[3], 0x600D);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 16);
    noc_async_write_barrier();
}

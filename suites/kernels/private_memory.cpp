// Uses initialised, zeroed and constant data, a table of functions, division and a copy between
// structures, and writes what comes out of it to its page. Each launch must start from the same values.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

namespace {

uint32_t initialised[4] = {11, 22, 33, 44};
uint32_t zeroed[4];
const uint32_t constant[4] = {1000, 2000, 3000, 4000};

__attribute__((noinline)) uint32_t twice(uint32_t value) { return 2 * value; }
__attribute__((noinline)) uint32_t third(uint32_t value) { return value / 3; }

using Function = uint32_t (*)(uint32_t);
// Volatile, so that they stay variables whose first values are addresses.
Function volatile functions[2] = {twice, third};
const uint32_t* volatile pointer = &constant[2];

}  // namespace

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t page = get_arg_val<uint32_t>(2);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t index = 0; index < 4; ++index) {
        initialised[index] += page;
        zeroed[index] += index;
        words[index] = initialised[index] + zeroed[index] + constant[(index + page) % 4];
    }
    words[4] = functions[page % 2](999);
    words[5] = functions[(page + 1) % 2](999);
    words[6] = *pointer;
    words[7] = static_cast<uint32_t>(0x1'0000'0000ull / (page + 7));
    const uint32_t last = words[7];
    // The words must be in L1 before a request reads them.
    while (words[7] != last) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(page), 32);
    noc_async_write_barrier();
}

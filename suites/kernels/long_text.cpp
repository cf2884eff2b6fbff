// Runs through a function of TEXT_BYTES bytes, each of whose instructions adds 1, and writes the sum to its page.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 first number.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)

extern "C" uint32_t add_up(uint32_t number);

// All but the last instruction, which returns.
asm(".text\n"
    ".globl add_up\n"
    "add_up:\n"
    ".rept " TEXT_OF(TEXT_BYTES) " / 4 - 1\n"
    "addi a0, a0, 1\n"
    ".endr\n"
    "ret\n");

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);

    const uint32_t sum = add_up(get_arg_val<uint32_t>(2));
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address), sum);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4);
    noc_async_write_barrier();
}

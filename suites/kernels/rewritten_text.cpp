// hallmark-only: names the register that empties instruction caches as Hallmark's firmware does.
// Calls a function, stores another instruction in its place and calls it again. With EMPTY defined the instruction
// caches are emptied in between, which BRISC can. Writes ten times what the first call returned plus the second.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

extern "C" uint32_t number();

asm(".text\n"
    ".balign 4\n"
    ".globl number\n"
    "number:\n"
    "addi a0, zero, 1\n"
    "ret\n");

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);

    const uint32_t before = number();
    // `addi a0, zero, 2`, which is in L1 before anything else happens.
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(&number), 0x0020'0513);
#ifdef EMPTY
    *reinterpret_cast<volatile uint32_t*>(0xFFEF'0000 + 4 * hallmark::kConfigInvalidateCaches) = 31;
    // As many instructions may still come from the cache as it was.
    asm volatile(".rept 24\n nop\n .endr" ::: "memory");
#endif
    const uint32_t after = number();
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address), 10 * before + after);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4);
    noc_async_write_barrier();
}

// Writes what jumps leave as their return address, and where they go, and what instructions make of the pc and of upper
// immediates: one word each.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

// The bytes from the first instruction, an `auipc`, to the return address that the jump leaves. The jump skips two
// instructions, of which the first would make it 0.
#define RETURN_ADDRESS(jump)                                                                          \
    {                                                                                                 \
        uint32_t start;                                                                               \
        uint32_t back;                                                                                \
        asm volatile("auipc %0, 0\n" jump "\nmv %1, %0\nnop\n1: sub %1, %1, %0"                       \
                     : "=&r"(start), "=&r"(back));                                                    \
        *out++ = back;                                                                                \
    }
#define UPPER(instructions)                                                                           \
    {                                                                                                 \
        uint32_t first;                                                                               \
        uint32_t second;                                                                              \
        asm volatile(instructions : "=&r"(first), "=&r"(second));                                     \
        *out++ = second;                                                                              \
    }

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t rows = get_arg_val<uint32_t>(1);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    volatile tt_l1_ptr uint32_t* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(rows);
    RETURN_ADDRESS("jal %1, 1f")
    RETURN_ADDRESS("jalr %1, 16(%0)")
    // The lowest bit of a target counts for nothing.
    RETURN_ADDRESS("jalr %1, 17(%0)")
    // Backwards: over to the second jump, which goes back to the one that leaves.
    RETURN_ADDRESS("j 3f\n2: j 1f\n3: jal %1, 2b")
    // From a register to itself.
    UPPER("auipc %0, 0\nmv %1, %0\njalr %1, 12(%1)\nsub %1, %1, %0")
    UPPER("auipc %0, 0\nauipc %1, 1\nsub %1, %1, %0")
    UPPER("auipc %0, 0\nauipc %1, 0xFFFFF\nsub %1, %1, %0")
    UPPER("lui %0, 0\nlui %1, 0xABCDE")
    UPPER("lui %0, 0\nlui %1, 0x80000")
    UPPER("lui %0, 0\nlui %1, 0")
    noc_semaphore_set(out, 0);
    noc_async_write(rows, output.get_noc_addr(0), 44);
    noc_async_write_barrier();
}

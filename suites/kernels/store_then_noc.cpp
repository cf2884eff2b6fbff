// Stores a new word and sends it at once. The request may carry the word from before (tt-isa-documentation, memory
// ordering of the baby cores), unless READ_BACK is defined, with which the word is loaded back first. Writes in how
// many rounds the new word came.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address of a line, 2 L1 address of another line, 3 rounds.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t from = get_arg_val<uint32_t>(1);
    const uint32_t to = get_arg_val<uint32_t>(2);
    const uint32_t rounds = get_arg_val<uint32_t>(3);

    volatile tt_l1_ptr uint32_t* source = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(from);
    volatile tt_l1_ptr uint32_t* landed = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(to);
    const uint64_t place = get_noc_addr(to);
    uint32_t right = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
        noc_semaphore_set(source, 2 * round);
#ifdef READ_BACK
        noc_semaphore_set(source, 2 * round + 1);
#else
        *source = 2 * round + 1;
#endif
        noc_async_write(from, place, 4);
        noc_async_write_barrier();
        right += *landed == 2 * round + 1;
    }
    noc_semaphore_set(source, right);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(from, output.get_noc_addr(0), 4);
    noc_async_write_barrier();
}

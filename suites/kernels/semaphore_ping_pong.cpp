// Two tiles take turns: each adds its number to a word that travels between them.
// Both run this kernel; the one with argument 5 = 1 begins and, at the end, writes the word to DRAM.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 semaphore, 1 and 2 the other tile's NoC coordinates, 3 rounds, 4 number to add,
// 5 begins, 6 L1 address of the word (the same on both), 7 output.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t other_x = get_arg_val<uint32_t>(1);
    const uint32_t other_y = get_arg_val<uint32_t>(2);
    const uint32_t rounds = get_arg_val<uint32_t>(3);
    const uint32_t number = get_arg_val<uint32_t>(4);
    const bool begins = get_arg_val<uint32_t>(5) != 0;
    const uint32_t l1_address = get_arg_val<uint32_t>(6);

    volatile tt_l1_ptr uint32_t* turn = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    if (begins) {
        *word = 0;
    }
    for (uint32_t round = 0; round < rounds; ++round) {
        if (!begins || round > 0) {
            noc_semaphore_wait_min(turn, round + (begins ? 0 : 1));
        }
        const uint32_t sum = *word + number;
        *word = sum;
        // The word must be in L1 before a request reads it.
        while (*word != sum) {
        }
        noc_async_write(l1_address, get_noc_addr(other_x, other_y, l1_address), 4);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(other_x, other_y, semaphore), 1);
    }
    if (begins) {
        noc_semaphore_wait_min(turn, rounds);
        const auto output = TensorAccessor(args, get_arg_val<uint32_t>(7));
        noc_async_write(l1_address, output.get_noc_addr(0), 4);
        noc_async_write_barrier();
    }
    noc_async_atomic_barrier();
}

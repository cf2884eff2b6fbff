// Waits for a word that another core raises, with the data cache on, and writes a line out that the other core has sent
// before. Leaves the cache off.
// Compile-time arguments: TensorAccessor of the result. Define HOW, how it waits: 0 a loop that never empties the cache,
// 1 the same with the test at its end, 2 one that empties it before each look, 3 one that empties it after each look,
// 4 one that empties it in each eighth turn, 5 one that gives up after some turns, and begins anew, 6 one that stores
// beside the word.
// Runtime arguments: 0 L1 address of the line, 1 its size in bytes, 2 L1 address of the word, 3 its value at the end,
// 4 clocks before the first look, 5 result, 6 whether hits empty the cache.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "data_cache.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t line = get_arg_val<uint32_t>(0);
    const uint32_t size = get_arg_val<uint32_t>(1);
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(2));
    const uint32_t value = get_arg_val<uint32_t>(3);
    const auto result = TensorAccessor(args, get_arg_val<uint32_t>(5));
    const bool hits_empty = get_arg_val<uint32_t>(6) != 0;

    riscv_wait(get_arg_val<uint32_t>(4));
    if (!hits_empty) {
        data_cache::set(data_cache::kHitsKeep);
    }
    data_cache::clear(data_cache::kOff);
#if HOW == 0
    while (*word != value) {
    }
#elif HOW == 1
    uint32_t seen;
    do {
        seen = *word;
    } while (seen < value);
#elif HOW == 2
    do {
        invalidate_l1_cache();
    } while (*word != value);
#elif HOW == 3
    while (*word != value) {
        invalidate_l1_cache();
    }
#elif HOW == 4
    for (uint32_t turn = 0; *word != value; ++turn) {
        if (turn % 8 == 7) {
            invalidate_l1_cache();
        }
    }
#elif HOW == 5
    bool raised = false;
    while (!raised) {
        invalidate_l1_cache();
        for (uint32_t turn = 0; turn < 10 && !raised; ++turn) {
            raised = *word == value;
        }
    }
#elif HOW == 6
    for (uint32_t turn = 0; *word != value; ++turn) {
        word[1] = turn;
    }
#endif
    data_cache::set(data_cache::kOff);
    data_cache::clear(data_cache::kHitsKeep);
    noc_async_write(line, result.get_noc_addr(0), size);
    noc_async_write_barrier();
}

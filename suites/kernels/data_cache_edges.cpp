// Fills a line of the data cache, lets the other data-movement core change a word of it, makes one store, and writes to
// DRAM what the word was before and is now, and what the stored byte is. Leaves the cache off.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address of four lines, 2 semaphore for the other core, 3 what is stored: 1 a byte,
// 2 a half-word, 3 a word, 4 where, in bytes from the line's start.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "data_cache.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t line = get_arg_val<uint32_t>(1);
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(line + 4);
    const uint32_t stores = get_arg_val<uint32_t>(3);
    const uint32_t place = line + get_arg_val<uint32_t>(4);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint64_t there = output.get_noc_addr(0);
    volatile tt_l1_ptr uint32_t* changes =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(2)));

    // What hits do by chance is another test's.
    data_cache::set(data_cache::kHitsKeep);
    data_cache::clear(data_cache::kOff);
    const uint32_t before = *word;
    *changes = 1;
    // The count of pages is a register, which no cache keeps.
    cb_wait_front(0, 1);
    if (stores == 1) {
        asm volatile("sb %0, 0(%1)" : : "r"(0x5A), "r"(place) : "memory");
    } else if (stores == 2) {
        asm volatile("sh %0, 0(%1)" : : "r"(0x6B5A), "r"(place) : "memory");
    } else if (stores == 3) {
        asm volatile("sw %0, 0(%1)" : : "r"(0x7D7C6B5A), "r"(place) : "memory");
    }
    const uint32_t after = *word;
    uint32_t stored;
    asm volatile("lbu %0, 0(%1)" : "=r"(stored) : "r"(place) : "memory");
    data_cache::set(data_cache::kOff);
    data_cache::clear(data_cache::kHitsKeep);
    cb_pop_front(0, 1);
    volatile tt_l1_ptr uint32_t* results = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(line + 48);
    results[0] = before;
    results[1] = after;
    noc_semaphore_set(results + 2, stored);
    noc_async_write(line + 48, there, 12);
    noc_async_write_barrier();
}

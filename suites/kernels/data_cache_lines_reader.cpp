// Loads a word of each of some lines through the data cache, before and after the other data-movement core changes them
// all, and writes to DRAM the sum of what it saw first, and whether it saw the same again. Leaves the cache off.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address of eight lines, 2 semaphore for the other core, 3 lines, at most six.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "data_cache.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t address = get_arg_val<uint32_t>(1);
    const uint32_t lines = get_arg_val<uint32_t>(3);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint64_t place = output.get_noc_addr(0);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
    volatile tt_l1_ptr uint32_t* changes =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(2)));

    // What hits do by chance is another test's.
    data_cache::set(data_cache::kHitsKeep);
    data_cache::clear(data_cache::kOff);
    uint32_t before = 0;
    for (uint32_t line = 0; line < lines; ++line) {
        before += words[4 * line];
    }
    *changes = 1;
    // The count of pages is a register, which no cache keeps.
    cb_wait_front(0, 1);
    uint32_t after = 0;
    for (uint32_t line = 0; line < lines; ++line) {
        after += words[4 * line];
    }
    data_cache::set(data_cache::kOff);
    data_cache::clear(data_cache::kHitsKeep);
    cb_pop_front(0, 1);
    words[28] = before;
    noc_semaphore_set(words + 29, after == before);
    noc_async_write(address + 112, place, 8);
    noc_async_write_barrier();
}

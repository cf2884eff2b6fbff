// Loads a word through the data cache before and after the other data-movement core changes it, with something in
// between that may empty the cache, and writes both values to DRAM. Leaves the cache off.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address of four lines, 2 semaphore for the other core, 3 what happens in between:
// 0 nothing, 1 `invalidate_l1_cache`, 2 a store into the line, 3 one into another line, 4 an atomic elsewhere,
// 5 the cache is turned off.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "data_cache.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t address = get_arg_val<uint32_t>(1);
    const uint32_t how = get_arg_val<uint32_t>(3);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint64_t place = output.get_noc_addr(0);
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
    volatile tt_l1_ptr uint32_t* other = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address + 32);
    volatile tt_l1_ptr uint32_t* result = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address + 48);
    volatile tt_l1_ptr uint32_t* changes =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(2)));

    // What hits do by chance is another test's.
    data_cache::set(data_cache::kHitsKeep);
    data_cache::clear(data_cache::kOff);
    const uint32_t before = *word;
    *changes = 1;
    // The count of pages is a register, which no cache keeps.
    cb_wait_front(0, 1);
    if (how == 1) {
        invalidate_l1_cache();
    } else if (how == 2) {
        word[1] = 1;
    } else if (how == 3) {
        *other = 1;
    } else if (how == 4) {
        data_cache::atomic_add(other, 1);
    } else if (how == 5) {
        data_cache::set(data_cache::kOff);
    }
    const uint32_t after = *word;
    data_cache::set(data_cache::kOff);
    data_cache::clear(data_cache::kHitsKeep);
    cb_pop_front(0, 1);
    result[0] = before;
    noc_semaphore_set(result + 1, after);
    noc_async_write(address + 48, place, 8);
    noc_async_write_barrier();
}

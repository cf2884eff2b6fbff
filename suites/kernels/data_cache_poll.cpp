// Polls a word through the data cache without emptying it, and writes what it saw in the end to DRAM. Leaves the cache
// off.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address of four lines, 2 semaphore for the other core, 3 hits empty the cache,
// 4 page of the output, 5 the semaphore that is polled.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "data_cache.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t address = get_arg_val<uint32_t>(1);
    const bool hits_empty = get_arg_val<uint32_t>(3) != 0;
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint64_t place = output.get_noc_addr(get_arg_val<uint32_t>(4));
    volatile tt_l1_ptr uint32_t* word =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(5)));
    volatile tt_l1_ptr uint32_t* result = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address + 48);
    volatile tt_l1_ptr uint32_t* changes =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(2)));

    if (!hits_empty) {
        data_cache::set(data_cache::kHitsKeep);
    }
    data_cache::clear(data_cache::kOff);
    const uint32_t before = *word;
    *changes = 1;
    uint32_t now;
    do {
        now = *word;
    } while (now == before);
    data_cache::set(data_cache::kOff);
    data_cache::clear(data_cache::kHitsKeep);
    result[0] = before;
    noc_semaphore_set(result + 1, now);
    noc_async_write(address + 48, place, 8);
    noc_async_write_barrier();
}

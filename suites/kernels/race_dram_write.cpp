// Writes a page of equal numbers to DRAM and says so by the semaphore of another tile.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address of a page, 2 page, 3 number, 4 semaphore, 5 and 6 the other tile's NoC
// coordinates, 7 whether the page has arrived before; else it has left.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);

    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0), 64);
    volatile tt_l1_ptr uint32_t* line = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t word = 0; word < 16; ++word) {
        noc_semaphore_set(line + word, get_arg_val<uint32_t>(3));
    }
    noc_async_write(l1_address, output.get_noc_addr(get_arg_val<uint32_t>(2)), 64);
    if (get_arg_val<uint32_t>(7) != 0) {
        noc_async_write_barrier();
    } else {
        noc_async_writes_flushed();
    }
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6),
                                   get_semaphore(get_arg_val<uint32_t>(4))),
                      1);
    noc_async_atomic_barrier();
}

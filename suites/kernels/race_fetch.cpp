// Reads a line from the L1 of another tile and writes it to its page. With WAIT defined it first waits for its
// semaphore.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address where the line goes, 2 semaphore, 3 and 4 the tile's NoC coordinates,
// 5 L1 address there, 6 bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t bytes = get_arg_val<uint32_t>(6);

#ifdef WAIT
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(2))), 1);
#endif
    noc_async_read(get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5)),
                   l1_address, bytes);
    noc_async_read_barrier();
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    noc_async_write(l1_address, output.get_noc_addr(0), bytes);
    noc_async_write_barrier();
}

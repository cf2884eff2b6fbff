// Says that it is ready, waits for a multicast and writes what came to its page.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 page size in bytes, 2 L1 address (the same everywhere), 3 semaphore that
// says "sent", 4 semaphore that counts receivers that are ready, 5 and 6 the sender's NoC coordinates,
// 7 page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t page_size = get_arg_val<uint32_t>(1);
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(3));
    const uint32_t ready = get_semaphore(get_arg_val<uint32_t>(4));
    const uint32_t sender_x = get_arg_val<uint32_t>(5);
    const uint32_t sender_y = get_arg_val<uint32_t>(6);
    const uint32_t page = get_arg_val<uint32_t>(7);

    noc_semaphore_inc(get_noc_addr(sender_x, sender_y, ready), 1);
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sent), 1);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0), page_size);
    noc_async_write(l1_address, output.get_noc_addr(page), page_size);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}

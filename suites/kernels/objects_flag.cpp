// A core multicasts a line to a rectangle of cores and tells each by a semaphore; each writes its line out and answers. With
// INCREMENT defined the core adds to the semaphores twice instead of setting them.
// Compile-time arguments: 0 for the sender, 1 for a receiver; then the accessor of the
// source or of the result.
// Runtime arguments of all: the line's address, its bytes, the semaphore of the flag, that of the answers, the sender's x and y.
// Of the sender, then: the rectangle's x and y from and to, the number of receivers, the source's address. Of a receiver: the result's address, its
// page.
// Compile-time arguments for a check: 0,2,64,0,64,2,64,1,2,3,4
#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr bool is_sender = get_compile_time_arg_val(0) == 0;
    constexpr auto args = TensorAccessorArgs<1>();
    const uint32_t line = get_arg_val<uint32_t>(0);
    const uint32_t size = get_arg_val<uint32_t>(1);
    Semaphore<> flag(get_arg_val<uint32_t>(2));
    Semaphore<> answers(get_arg_val<uint32_t>(3));
    const uint32_t x = get_arg_val<uint32_t>(4);
    const uint32_t y = get_arg_val<uint32_t>(5);
    CoreLocalMem<uint32_t> here(line);
    Noc noc;
    if constexpr (is_sender) {
        const uint32_t from_x = get_arg_val<uint32_t>(6);
        const uint32_t from_y = get_arg_val<uint32_t>(7);
        const uint32_t to_x = get_arg_val<uint32_t>(8);
        const uint32_t to_y = get_arg_val<uint32_t>(9);
        const uint32_t receivers = get_arg_val<uint32_t>(10);
        const auto source = TensorAccessor(args, get_arg_val<uint32_t>(11));
        noc.async_read(source, here, size, {.page_id = 0}, {});
        noc.async_read_barrier();
        noc.async_write_multicast(
            here, MulticastEndpoint(), size, receivers, {.offset_bytes = 0},
            {.noc_x_start = from_x, .noc_y_start = from_y, .noc_x_end = to_x, .noc_y_end = to_y, .addr = line});
        // What tells of the data goes another way where command buffers are queues of their own.
        noc.async_writes_flushed();
#ifdef INCREMENT
        flag.inc_multicast(noc, from_x, from_y, to_x, to_y, 4, receivers);
        flag.inc_multicast(noc, from_x, from_y, to_x, to_y, 3, receivers);
        noc.async_atomic_barrier();
#else
        flag.set(7);
        flag.set_multicast(noc, from_x, from_y, to_x, to_y, receivers);
#endif
        noc.async_write_barrier();
        answers.wait(receivers);
    } else {
        const auto result = TensorAccessor(args, get_arg_val<uint32_t>(6));
        flag.wait_min(7);
        noc.async_write(here, result, size, {}, {.page_id = get_arg_val<uint32_t>(7)});
        noc.async_write_barrier();
        answers.up(noc, x, y, 1);
        noc.async_atomic_barrier();
    }
}

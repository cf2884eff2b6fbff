// A core writes a word into another core's register without a source in L1, waits until it is there, and then increments
// that core's semaphore. Without the wait, nothing promises that the increment finds the word in the register.
// Compile-time arguments: 0 for the sender, 1 for the receiver; the accessor of the result.
// Runtime arguments: the semaphore, a circular buffer that nothing uses. Of the sender, then: the receiver's x and y, the word of
// 16 bits. Of the receiver: the result's address, an L1 address with room for 16 bytes.
// Compile-time arguments for a check: 0,2,64
#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr bool is_sender = get_compile_time_arg_val(0) == 0;
    Semaphore<> written(get_arg_val<uint32_t>(0));
    // Counts what is popped; it only holds what it is given.
    volatile tt_reg_ptr uint32_t* popped = get_cb_tiles_acked_ptr(get_arg_val<uint32_t>(1));
    Noc noc;
    if constexpr (is_sender) {
        const uint32_t x = get_arg_val<uint32_t>(2);
        const uint32_t y = get_arg_val<uint32_t>(3);
        const uint32_t place = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(popped));
        noc.inline_dw_write<NocOptions::INLINE_REG>(UnicastEndpoint(), get_arg_val<uint32_t>(4),
                                                    {.noc_x = x, .noc_y = y, .addr = place});
        noc.async_write_barrier();
        written.up(noc, x, y, 1);
        noc.async_atomic_barrier();
    } else {
        const auto result = TensorAccessor(TensorAccessorArgs<1>(), get_arg_val<uint32_t>(2));
        CoreLocalMem<volatile uint32_t> line(get_arg_val<uint32_t>(3));
        written.wait(1);
        const uint32_t word = *popped;
        line[0] = word;
        while (line[0] != word) {
        }
        noc.async_write(line, result, 4, {}, {.page_id = 0});
        noc.async_write_barrier();
    }
}

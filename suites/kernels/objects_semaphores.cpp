// Two neighbours and their semaphores: the first one counts, sends the count to both as another semaphore's value, and takes the
// second one's answer. Each writes what it saw to its page.
// Compile-time arguments: 0 for the first one, 1 for the second one; then the accessor of the result.
// Runtime arguments: 0 result, 1 an L1 address with room for 64 bytes, 2–4 the semaphores counted, sent and answered, 5 and 6 x and
// y of the first one, 7 and 8 those of the second one.
// Compile-time arguments for a check: 0,2,64

#include <cstdint>

#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr uint32_t page = get_compile_time_arg_val(0);
    const auto result = TensorAccessor(TensorAccessorArgs<1>(), get_arg_val<uint32_t>(0));
    const CoreLocalMem<volatile uint32_t> words(get_arg_val<uint32_t>(1));
    Semaphore<> counted(get_arg_val<uint32_t>(2));
    Semaphore<> sent(get_arg_val<uint32_t>(3));
    Semaphore<> answered(get_arg_val<uint32_t>(4));
    const uint32_t x = get_arg_val<uint32_t>(5);
    const uint32_t y = get_arg_val<uint32_t>(6);
    const uint32_t other_x = get_arg_val<uint32_t>(7);
    const uint32_t other_y = get_arg_val<uint32_t>(8);
    Noc noc;
    for (uint32_t word = 0; word < 16; ++word) {
        words[word] = 70;
    }
    if constexpr (page == 0) {
        counted.set(4);
        counted.up(5);
        counted.down(2);
        words[0] = counted.value();
        // On NoC 1 the rectangle begins at its other corner.
        const bool is_first = noc_index == 0;
        counted.relay_multicast<NocOptions::MCAST_INCL_SRC>(noc, sent, is_first ? x : other_x, is_first ? y : other_y,
                                                            is_first ? other_x : x, is_first ? other_y : y, 2);
        noc.async_write_barrier();
        sent.wait(7);
        words[1] = sent.value();
        answered.wait(11);
        words[2] = answered.value();
        counted.relay_unicast(noc, answered, other_x, other_y);
        noc.async_write_barrier();
    } else {
        sent.wait_min(7);
        words[0] = sent.value();
        answered.up(noc, x, y, 11);
        noc.async_atomic_barrier();
        answered.wait_min(7);
        words[1] = answered.value();
        answered.down(3);
        words[2] = answered.value();
    }
    words[15] = 71;
    while (words[15] != 71) {
    }
    noc.async_write(words, result, 64, {}, {.page_id = page});
    noc.async_write_barrier();
}

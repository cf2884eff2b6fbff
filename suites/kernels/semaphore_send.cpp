// Sets a semaphore of other tiles to the value of its own: of one tile, or with MULTICAST defined of a rectangle,
// which with LOOPBACK defined may hold the sender.
// Runtime arguments: 0 semaphore, 1 value, 2 and 3 the tile's NoC coordinates, or the rectangle's start, 4 and 5
// its end, 6 tiles that receive.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t x = get_arg_val<uint32_t>(2);
    const uint32_t y = get_arg_val<uint32_t>(3);

    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), get_arg_val<uint32_t>(1));
#ifdef MULTICAST
    const uint64_t rectangle =
        get_noc_multicast_addr(x, y, get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5), semaphore);
#ifdef LOOPBACK
    noc_semaphore_set_multicast_loopback_src(semaphore, rectangle, get_arg_val<uint32_t>(6));
#else
    noc_semaphore_set_multicast(semaphore, rectangle, get_arg_val<uint32_t>(6));
#endif
#else
    noc_semaphore_set_remote(semaphore, get_noc_addr(x, y, semaphore));
#endif
    noc_async_write_barrier();
}

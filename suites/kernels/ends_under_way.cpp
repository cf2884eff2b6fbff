// Makes requests to another tile, waits with AT_END, counts some rounds and ends. BEFORE and REQUEST name functions of
// this file, AT_END one of this file or of the kernel API.
// Runtime arguments: 0 L1 address here, 1 and 2 the other tile's NoC coordinates, 3 L1 address there, 4 requests,
// 5 rounds.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

#ifndef BEFORE
#define BEFORE no_request
#endif
#ifndef AT_END
#define AT_END no_wait
#endif

namespace {

inline void no_request(uint32_t, uint64_t) {}
inline void write(uint32_t here, uint64_t there) { noc_async_write(here, there, 32); }
inline void write_second_half(uint32_t here, uint64_t there) { noc_async_write(here + 16, there + 16, 16); }
inline void posted_write(uint32_t here, uint64_t there) {
    noc_async_write<NOC_MAX_BURST_SIZE + 1, true, true>(here, there, 32);
}
inline void read(uint32_t here, uint64_t there) { noc_async_read(there, here, 32); }
inline void increment(uint32_t, uint64_t there) { noc_semaphore_inc(there, 3); }
inline void inline_write(uint32_t, uint64_t there) { noc_inline_dw_write(there, 5); }
inline void set_remote(uint32_t here, uint64_t there) { noc_semaphore_set_remote(here, there); }
inline void write_and_wait(uint32_t here, uint64_t there) {
    write(here, there);
    noc_async_write_barrier();
}

inline void no_wait() {}
inline void writes_of_the_other_noc() { noc_async_write_barrier(1 - noc_index); }
inline void all_writes() {
    noc_async_write_barrier();
    noc_async_writes_flushed();
    noc_async_posted_writes_flushed();
}

}  // namespace

void kernel_main() {
    const uint32_t here = get_arg_val<uint32_t>(0);
    const uint64_t there =
        get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3));

    BEFORE(here, there);
    for (uint32_t request = get_arg_val<uint32_t>(4); request != 0; --request) {
        REQUEST(here, there);
    }
    AT_END();
    for (uint32_t round = get_arg_val<uint32_t>(5); round != 0; --round) {
        asm volatile("");
    }
}

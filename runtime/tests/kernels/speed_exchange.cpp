// Each turn writes four times 64 bytes to the next tile and reads four times 64 from it, then waits for both. The
// waits count their turns, so that no simulator can take them for loops in which nothing happens. The result
// says how many ticks it took.
// Runtime arguments: 0 L1 address of the result, 1 turns, 2 L1 address of 1 KiB, the same on all tiles, 3 and 4
// the next tile's NoC coordinates. Of the 1 KiB, the first quarter is sent, the second is written by the tile
// before, the third is read by it, and the last receives what is read.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "kernels/speed_clock.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* result = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    const uint32_t turns = get_arg_val<uint32_t>(1);
    const uint32_t here = get_arg_val<uint32_t>(2);
    const uint64_t there = get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4), here);
    uint32_t polls = 0;
    const uint32_t start = clock_now();
    for (uint32_t turn = 0; turn < turns; ++turn) {
        for (uint32_t part = 0; part < 256; part += 64) {
            noc_async_write(here + part, there + 256 + part, 64);
            noc_async_read(there + 512 + part, here + 768 + part, 64);
        }
        while (hallmark::noc_status(noc_index, hallmark::kNocReadResponses) != noc_reads_num_issued[noc_index]) {
            polls += 1;
        }
        while (hallmark::noc_status(noc_index, hallmark::kNocWriteAcks) != noc_nonposted_writes_acked[noc_index]) {
            polls += 1;
        }
    }
    result[0] = clock_now() - start;
    result[1] = polls;
}

// hallmark-only: writes the registers of a NoC request itself, to ask for what no call of the kernel API asks for.
// A request that would be right is changed by the last arguments.
// Runtime arguments: 0 what: 0 a read, 1 a write, 2 an atomic increment, 3 an inline write, 4 a multicast, 5 a multicast increment,
// 1 and 2 the other tile's NoC coordinates, 3 address there, 4 address in this tile's L1, 5 length or what stands in its place,
// 6 bits of NOC_CTRL to flip, 7 what to write to NOC_CMD_CTRL, 8 packet tag, 9 and 10 NoC coordinates of the end that
// should be this tile's.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    using namespace hallmark;
    const uint32_t what = get_arg_val<uint32_t>(0);
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    const uint32_t there = get_arg_val<uint32_t>(3);
    const uint32_t here = get_arg_val<uint32_t>(4);

    const bool is_multicast = what == 4 || what == 5;
    const uint64_t other = is_multicast ? get_noc_multicast_addr(x, y, x, y, there) : get_noc_addr(x, y, there);
    const uint64_t own = get_noc_addr(get_arg_val<uint32_t>(9), get_arg_val<uint32_t>(10), here);
    const bool writes = what == 1 || what == 4;
    const uint64_t target = writes ? own : other;
    const uint64_t result = writes ? other : own;
    uint32_t control = kControlResponse | control_vc(1);
    if (writes) {
        control |= kControlWrite;
    }
    if (what == 2 || what == 5) {
        control |= kControlAtomic;
    }
    if (what == 3) {
        control |= kControlWrite | kControlInline;
    }
    if (is_multicast) {
        control |= kControlMulticast | kControlPathReserve;
    }
    wait_for_buffer(noc_index, kWriteBuffer);
    noc_register(noc_index, kWriteBuffer, kNocTargetLow) = low(target);
    set_target_upper(noc_index, kWriteBuffer, upper(target));
    noc_register(noc_index, kWriteBuffer, kNocReturnLow) = low(result);
    set_return_upper(noc_index, kWriteBuffer, upper(result));
    noc_register(noc_index, kWriteBuffer, kNocPacketTag) = get_arg_val<uint32_t>(8);
    noc_register(noc_index, kWriteBuffer, kNocControl) = control ^ get_arg_val<uint32_t>(6);
    noc_register(noc_index, kWriteBuffer, kNocLength) = get_arg_val<uint32_t>(5);
    noc_register(noc_index, kWriteBuffer, kNocData) = 1;
    noc_register(noc_index, kWriteBuffer, kNocCommand) = get_arg_val<uint32_t>(7);
    if (what == 0) {
        noc_reads_num_issued[noc_index] += 1;
    } else if (what == 2 || what == 5) {
        noc_nonposted_atomics_acked[noc_index] += 1;
    } else {
        count_write(noc_index, false);
    }
    noc_async_full_barrier();
}

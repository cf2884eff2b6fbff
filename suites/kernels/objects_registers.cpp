// Changes the length of a read whose tile is fixed by writing the register of its command buffer, reads it back, and takes the
// register of its options back to what reads have. The result has the bytes and the two numbers behind them.
// Compile-time arguments: TensorAccessor of the result.
// Runtime arguments: 0 L1 address on the other core, 1 and 2 its x and y, 3 an L1 address with room for 64 bytes, 4 result.

#include <cstdint>

#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"

void kernel_main() {
    const uint32_t from = get_arg_val<uint32_t>(0);
    const uint64_t other = get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), from);
    const CoreLocalMem<volatile uint32_t> words(get_arg_val<uint32_t>(3));
    const auto result = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(4));
    const uint32_t options = NOC_CMD_CPY | NOC_CMD_RD | NOC_CMD_RESP_MARKED | NOC_CMD_VC_STATIC | NOC_CMD_STATIC_VC(1);

    for (uint32_t word = 0; word < 16; ++word) {
        words[word] = 5;
    }
    while (words[15] != 5) {
    }
    noc_async_read_one_packet_set_state(other, 64);
    NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_CTRL, options | NOC_CMD_STATIC_VC(4));
    NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_AT_LEN_BE, 32);
    const uint32_t length = NOC_CMD_BUF_READ_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_AT_LEN_BE);
    NOC_CMD_BUF_WRITE_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_CTRL, options);
    noc_async_read_one_packet_with_state(from, words.get_address());
    noc_async_read_barrier();
    words[8] = length;
    words[9] = NOC_CMD_BUF_READ_REG(noc_index, NCRISC_RD_CMD_BUF, NOC_CTRL) & 0xFFFF;
    while (words[9] != 0x2090) {
    }
    Noc noc;
    noc.async_write(words, result, 64, {}, {.page_id = 0});
    noc.async_write_barrier();
}

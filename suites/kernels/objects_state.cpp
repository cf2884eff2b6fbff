// Reads lines of another core by one state and by transaction identifiers, with zeros around them, and writes them out.
// Compile-time arguments: whether reads have identifiers; then the result's accessor.
// Runtime arguments: the lines' address on the other core, its x and y, the bytes of a line, the number of lines, the address
// of as much memory here and a line more, the result's address.
// Compile-time arguments for a check: 1,2,64,0,64,2,64,1,2,3,4
#include <cstring>
#include <tuple>

#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc.h"
#include "api/numeric/bfloat16.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr bool has_identifiers = get_compile_time_arg_val(0) != 0;
    constexpr auto args = TensorAccessorArgs<1>();
    const auto [from, x, y] = std::make_tuple(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2));
    const uint32_t size = get_arg_val<uint32_t>(3);
    const uint32_t lines = get_arg_val<uint32_t>(4);
    const uint32_t memory = get_arg_val<uint32_t>(5);
    const auto result = TensorAccessor(args, get_arg_val<uint32_t>(6));

    Noc noc;
    UnicastEndpoint other;
    CoreLocalMem<volatile uint32_t> here(memory);
    noc.async_write_zeros(here, size, {.offset_bytes = lines * size});
#ifndef NO_BARRIER
    noc.write_zeros_l1_barrier();
#endif
    if constexpr (has_identifiers) {
        for (uint32_t line = 0; line < lines; ++line) {
            noc.async_read<NocOptions::TXN_ID>(other, here, size, {.noc_x = x, .noc_y = y, .addr = from + line * size},
                                               {.offset_bytes = line * size}, {.trid = 1 + line % 3});
        }
        for (uint32_t identifier = 1; identifier <= 3; ++identifier) {
            noc.async_read_barrier<NocOptions::TXN_ID>({.trid = identifier});
        }
    } else {
        constexpr uint32_t packet = NOC_MAX_BURST_SIZE;
        noc.set_async_read_state<NocOptions::DEFAULT, packet>(other, size, {.noc_x = x, .noc_y = y, .addr = from});
        for (uint32_t line = 0; line < lines; ++line) {
            noc.async_read_with_state<NocOptions::DEFAULT, packet>(
                other, here, size, {.noc_x = x, .noc_y = y, .addr = from + line * size}, {.offset_bytes = line * size});
        }
        noc.async_read_barrier();
    }
    // The first word of the zeros becomes 1.5 as a bfloat16.
    here[lines * size / sizeof(uint32_t)] = fp32_to_bf16(1.5f);
    while (here[lines * size / sizeof(uint32_t)] != 0x3FC0) {
    }
    for (uint32_t line = 0; line <= lines; ++line) {
        noc.async_write(here, result, size, {.offset_bytes = line * size}, {.page_id = line});
    }
    noc.async_write_barrier();
}

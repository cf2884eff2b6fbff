// What a scratchpad of 16-bit elements tells of itself, and an element by each of the ways to it.
// Compile-time arguments: the accessor of the result.
// Common runtime arguments: a number, the scratchpad's address; those of the accessor.
// Runtime arguments: the result's address, an L1 address with room for 64 bytes.
// Compile-time arguments for a check: 2,64
#include <cstdint>

#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/scratchpad.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    const auto result = TensorAccessor(TensorAccessorArgs<0, 2>(), get_arg_val<uint32_t>(0));
    const CoreLocalMem<volatile uint32_t> facts(get_arg_val<uint32_t>(1));
    const uint32_t base = get_common_arg_val<uint32_t>(1);
    const Scratchpad<volatile uint16_t> pad(ScratchpadBindingToken(1, 80));
    Noc noc;

    for (uint32_t element = 0; element < pad.size(); ++element) {
        pad[element] = 300 + element;
    }
    const CoreLocalMem<volatile uint16_t> all(base);
    {
        const auto lock = pad.scoped_lock(39, 1);
        pad.begin()[39] = 900;
    }
    const uint32_t told[] = {
        pad.size(),
        pad.size_in_bytes(),
        pad.get_base_address() - base,
        static_cast<uint32_t>(pad.end() - pad.begin()),
        static_cast<uint32_t>(pad.begin().get_address()) - base,
        static_cast<uint32_t>(pad.local_mem().get_address()) - base,
        all[0],
        all[7],
        all[38],
        all[39],
        pad[8],
        pad.local_mem()[9],
        pad.end()[-1],
    };
    for (uint32_t word = 0; word < 16; ++word) {
        facts[word] = word < 13 ? told[word] : 60;
    }
    while (facts[15] != 60) {
    }
    noc.async_write(facts, result, 64, {}, {.page_id = 0});
    // Elements 8 to 39.
    noc.async_write(pad, result, 64, {.offset_bytes = 16}, {.page_id = 1});
    noc.async_write_barrier();
}

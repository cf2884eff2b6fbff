// Raises flags on its own tile, one after the other, or waits for those of another tile by reads, each into a place of its own.
// One function reads for all of them; before, it reads a word once that nobody writes.
// Compile-time arguments: 1 to wait, 0 to raise.
// Runtime arguments: 0 an L1 address with room for 512 bytes, 1 the number of flags, which lie 64 bytes apart; to wait: 2 and 3
// NoC coordinates of the flags' tile, 4 their L1 address there; to raise: 2 clocks before each flag.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

__attribute__((noinline)) uint32_t look(uint64_t from, uint32_t place, uint32_t awaited, uint32_t tries) {
    const auto word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(place);
    do {
        noc_async_read(from, place, 4);
        noc_async_read_barrier();
    } while (*word != awaited && --tries != 0);
    return *word;
}

void kernel_main() {
    const uint32_t own = get_arg_val<uint32_t>(0);
    const uint32_t flags = get_arg_val<uint32_t>(1);
    if constexpr (get_compile_time_arg_val(0) == 0) {
        for (uint32_t flag = 0; flag < flags; ++flag) {
            riscv_wait(get_arg_val<uint32_t>(2));
            *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(own + 64 * flag) = 70 + flag;
        }
    } else {
        const uint64_t from =
            get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4));
        look(from + 64 * flags, own + 64 * flags, 5, 1);
        for (uint32_t flag = 0; flag < flags; ++flag) {
            look(from + 64 * flag, own + 64 * flag, 70 + flag, 0xFFFFFFFF);
        }
    }
}

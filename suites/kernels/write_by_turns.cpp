// Writes lines of 64 bytes from one buffer to the next places of another on the same core. Each turn loads the address of
// the destination anew from its argument. The load is `lw s11, 8(…)`: the bits of its offset are those that name s0 in other
// instructions, and s0 holds the address of the source.
// Arguments: turns, lines of a turn, destination, source, x and y of the core.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t arguments = get_arg_addr(0);
    const uint32_t turns = get_arg_val<uint32_t>(0);
    const uint32_t lines = get_arg_val<uint32_t>(1);
    const uint32_t x = get_arg_val<uint32_t>(4);
    const uint32_t y = get_arg_val<uint32_t>(5);
    register uint32_t source asm("s0") = get_arg_val<uint32_t>(3);
    uint32_t place = 0;
    for (uint32_t turn = 0; turn < turns; ++turn) {
        register uint32_t destination asm("s11");
        asm volatile("lw %0, 8(%2)" : "=r"(destination), "+r"(source) : "r"(arguments) : "memory");
        for (uint32_t line = 0; line < lines; ++line) {
            noc_async_write(source + 64 * line, get_noc_addr(x, y, destination + 64 * place), 64);
            place += 1;
        }
    }
    noc_async_write_barrier();
}

// How Blackhole's cores are started and set up.
#pragma once

#include "firmware.h"

namespace hallmark {

// Turns the data cache off, as TT-Metalium does unless it is asked not to (risc_common.h,
// set_l1_data_cache): bit 3 of a custom register, written with `csrrs`, which the assembler does not
// know for the instruction set that kernels are built for.
inline void configure_core() {
    asm volatile(
        "fence\n"
        ".insn i 0x73, 2, x0, %0, 0x7C0"
        :
        : "r"(1u << 3)
        : "memory");
}

// The host wrote where the others start.
inline void release_others() {
    write_config(kConfigInvalidateCaches, kAllCores);
    register_at(kSoftReset) = 0;
}

}  // namespace hallmark

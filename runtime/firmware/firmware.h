// What the firmware of all cores shares.
#pragma once

#include <stdint.h>

#include "hallmark/launch_abi.h"
#include "hallmark/registers.h"

// Places that the linker is told by the host's tables; only their addresses mean something.
extern "C" uint32_t MAILBOX[], NCRISC_LOAD[], NCRISC_SIZE[], NCRISC_RUN[], TRISC0_RUN[], TRISC1_RUN[],
    TRISC2_RUN[];

namespace hallmark {

inline volatile uint32_t& mailbox(uint32_t offset) {
    return *reinterpret_cast<volatile uint32_t*>(reinterpret_cast<uint32_t>(MAILBOX) + offset);
}

inline void write_config(uint32_t word, uint32_t value) { register_at(kConfig + 4 * word) = value; }

inline uint32_t launch_word(uint32_t block, uint32_t offset) {
    return *reinterpret_cast<volatile uint32_t*>(block + offset);
}

// Waits without any side effect, so that a simulator can tell a waiting core from a busy one.
inline void wait_until(volatile uint32_t& word, uint32_t value) {
    while (word != value) {
    }
}

inline uint32_t wait_for_change(volatile uint32_t& word, uint32_t value) {
    uint32_t now;
    do {
        now = word;
    } while (now == value);
    return now;
}

using Kernel = void (*)(uint32_t launch_block);

inline void run_kernel(uint32_t block) {
    const uint32_t entry = launch_word(block, kLaunchProcessor + PROCESSOR_INDEX * kLaunchProcessorStride);
    reinterpret_cast<Kernel>(entry)(block);
}

}  // namespace hallmark

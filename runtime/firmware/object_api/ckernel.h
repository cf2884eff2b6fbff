// The functions of ckernel.h that kernels call.
#pragma once

#include "ckernel_defs.h"
#include "hallmark/kernel_state.h"
#include "hallmark/registers.h"

namespace ckernel {

// A load on whose value the core waits: stores before it have reached memory.
template <typename T>
FORCE_INLINE T load_blocking(volatile T* pointer) {
    const T value = *pointer;
    asm volatile("addi x0, %0, 0" : : "r"(value) : "memory");
    return value;
}

// Words from core to core: to a thread of the tile's compute kernel, and from one. BRISC is number 0 of the mailboxes. A sender
// that runs ahead of its receiver stalls, and so does a receiver of an empty mailbox.
FORCE_INLINE void mailbox_write(uint8_t thread, uint32_t data) {
    using namespace hallmark;
    register_at(kCoreMailbox + (thread + 1) * kCoreMailboxStride) = data;
}

FORCE_INLINE uint32_t mailbox_read(uint8_t thread) {
    using namespace hallmark;
    return register_at(kCoreMailbox + (thread + 1) * kCoreMailboxStride);
}

}  // namespace ckernel

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

// Words from one core of the tile to another. A sender that runs ahead of its receiver stalls, and so does a receiver of an
// empty mailbox.
FORCE_INLINE void mailbox_write(uint8_t thread, uint32_t data) {
    hallmark::register_at(hallmark::kCoreMailbox + thread * hallmark::kCoreMailboxStride) = data;
}

[[nodiscard]] FORCE_INLINE uint32_t mailbox_read(uint8_t thread) {
    return load_blocking(&hallmark::register_at(hallmark::kCoreMailbox + thread * hallmark::kCoreMailboxStride));
}

}  // namespace ckernel

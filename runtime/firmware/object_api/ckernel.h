// The one function of ckernel.h for data-movement kernels.
#pragma once

#include "hallmark/kernel_state.h"

namespace ckernel {

// A load on whose value the core waits: stores before it have reached memory.
template <typename T>
FORCE_INLINE T load_blocking(volatile T* pointer) {
    const T value = *pointer;
    asm volatile("addi x0, %0, 0" : : "r"(value) : "memory");
    return value;
}

}  // namespace ckernel

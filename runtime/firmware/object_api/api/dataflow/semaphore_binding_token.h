// How the host names a semaphore to a kernel.
#pragma once

#include <stdint.h>

enum class SemScope : uint8_t { LOCAL_NONATOMIC, DM_LOCAL_CACHED, EXTERNAL, COMPUTE_ATOMIC };

struct SemaphoreBindingToken {
    uint32_t id;
    SemScope scope;
};

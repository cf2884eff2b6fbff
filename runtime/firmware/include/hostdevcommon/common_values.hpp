// Values on which host and kernels agree: of semaphores, and of command queues.
#pragma once

#include <stdint.h>

inline constexpr uint32_t INVALID = 0;
inline constexpr uint32_t VALID = 1;
inline constexpr uint32_t MAX_NUM_HW_CQS = 2;

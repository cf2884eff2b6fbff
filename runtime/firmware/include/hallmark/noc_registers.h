// Registers of the NoC interfaces.
#pragma once

#include "hallmark/arguments.h"

namespace hallmark {

FORCE_INLINE volatile uint32_t& noc_register(uint32_t noc, uint32_t buffer, uint32_t offset) {
    return register_at(kNoc + noc * kNocStride + buffer * kNocCommandBufferStride + offset);
}

FORCE_INLINE volatile uint32_t& noc_status(uint32_t noc, uint32_t offset) {
    return noc_register(noc, 0, offset);
}

}  // namespace hallmark

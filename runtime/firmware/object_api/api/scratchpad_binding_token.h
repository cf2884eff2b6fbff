// How the host names a scratchpad to a kernel: its size, and its address among the common runtime arguments.
#pragma once

#include <stdint.h>

#include "internal/llk_metadata.h"

struct ScratchpadBindingToken {
    constexpr ScratchpadBindingToken(uint32_t address_index, uint32_t bytes,
                                     binding_details::LLKMetadata of_tiles = {}) noexcept
        : crta_offset(address_index), size_in_bytes(bytes), metadata(of_tiles) {}

    // In arguments, and not in bytes.
    uint32_t crta_offset;
    uint32_t size_in_bytes;
    binding_details::LLKMetadata metadata;
};

// How the host names a dataflow buffer to a kernel.
#pragma once

#include <stdint.h>

#include "api/dataflow/dfb_access.h"
#include "internal/llk_metadata.h"

template <dfb::AccessPattern kProducer = dfb::AccessPattern::UNKNOWN,
          dfb::AccessPattern kConsumer = dfb::AccessPattern::UNKNOWN>
struct DFBBindingToken {
    explicit constexpr DFBBindingToken(uint16_t id) noexcept : id_(id) {}
    constexpr DFBBindingToken(uint16_t id, binding_details::LLKMetadata metadata) noexcept
        : id_(id), metadata_(metadata) {}
    constexpr operator uint32_t() const noexcept { return id_; }
    constexpr binding_details::LLKMetadata metadata() const noexcept { return metadata_; }

private:
    uint16_t id_;
    binding_details::LLKMetadata metadata_{};
};

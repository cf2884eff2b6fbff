// How the host names a dataflow buffer to a kernel.
#pragma once

#include <stdint.h>

#include "api/dataflow/dfb_access.h"
#include "hallmark/refused.h"
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

// A dataflow buffer that relays pages of a prefetcher pipe or of another node. A kernel may name the type, but not have one.
struct RelayDFBBindingToken {
    static constexpr uint8_t NO_PREFETCHER_PIPE = 0xFF;

    template <typename Id>
    explicit constexpr RelayDFBBindingToken(Id, uint8_t = NO_PREFETCHER_PIPE) noexcept {
        static_assert(sizeof(Id) == 0, "Hallmark has no relays: dataflow buffers are filled and emptied on their own core");
    }
    constexpr operator uint32_t() const noexcept { return 0; }
    constexpr uint8_t prefetcher_pipe_id() const noexcept { return NO_PREFETCHER_PIPE; }
};

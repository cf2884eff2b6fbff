// How the host names a prefetcher pipe to a kernel. A kernel may name the type, but not have one.
#pragma once

#include <stdint.h>

struct PrefetcherPipeBindingToken {
    template <typename Id>
    explicit constexpr PrefetcherPipeBindingToken(Id) noexcept {
        static_assert(sizeof(Id) == 0, "Hallmark has no prefetcher pipes: its host API makes none");
    }
    constexpr uint8_t prefetcher_pipe_id() const noexcept { return 0; }
};

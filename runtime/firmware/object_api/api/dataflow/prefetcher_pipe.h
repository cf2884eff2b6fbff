// Pipes of weights from other cores. Captures do not have them: a kernel may name them, but not call them.
#pragma once

#include "api/dataflow/noc.h"
#include "api/dataflow/prefetcher_pipe_binding_token.h"
#include "hallmark/refused.h"

namespace experimental {

#define HALLMARK_OF_PIPES(name) HALLMARK_REFUSED(name, "Hallmark has no prefetcher pipes")

class PrefetcherPipe {
public:
    struct RelayView {
        HALLMARK_OF_PIPES(reserve_back)
        HALLMARK_OF_PIPES(push_back)
        HALLMARK_OF_PIPES(wait_front)
        HALLMARK_OF_PIPES(pop_front)
    };

    template <typename... Arguments>
    [[gnu::error("Hallmark has no prefetcher pipes")]] explicit PrefetcherPipe(Arguments...);

    template <typename... Arguments>
    [[gnu::error("Hallmark has no prefetcher pipes")]] RelayView relay(Arguments...);

    HALLMARK_OF_PIPES(reserve_back)
    HALLMARK_OF_PIPES(push_back)
    HALLMARK_OF_PIPES(wait_front)
    HALLMARK_OF_PIPES(pop_front)
    HALLMARK_OF_PIPES(commit)
    HALLMARK_OF_PIPES(write_broadcast)
    HALLMARK_OF_PIPES(write_to_receiver)
    HALLMARK_OF_PIPES(write_strided)
    HALLMARK_OF_PIPES(flush_writes)
    HALLMARK_OF_PIPES(set_entry_size)
};

#undef HALLMARK_OF_PIPES

}  // namespace experimental

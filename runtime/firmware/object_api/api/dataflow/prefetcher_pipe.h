// Pipes of weights from other cores. Captures do not have them: a kernel may name them, but not call them.
#pragma once

#include <stdint.h>

#include "api/dataflow/noc.h"

namespace experimental {

#define HALLMARK_REFUSED(name)       \
    template <typename... ARGUMENTS> \
    [[gnu::error("Hallmark has no prefetcher pipes")]] void name(ARGUMENTS...);

class PrefetcherPipe {
public:
    struct RelayView {
        HALLMARK_REFUSED(reserve_back)
        HALLMARK_REFUSED(push_back)
        HALLMARK_REFUSED(wait_front)
        HALLMARK_REFUSED(pop_front)
    };

    template <typename... ARGUMENTS>
    [[gnu::error("Hallmark has no prefetcher pipes")]] explicit PrefetcherPipe(ARGUMENTS...);

    template <typename... ARGUMENTS>
    [[gnu::error("Hallmark has no prefetcher pipes")]] RelayView relay(ARGUMENTS...);

    HALLMARK_REFUSED(reserve_back)
    HALLMARK_REFUSED(push_back)
    HALLMARK_REFUSED(wait_front)
    HALLMARK_REFUSED(pop_front)
    HALLMARK_REFUSED(commit)
    HALLMARK_REFUSED(write_broadcast)
    HALLMARK_REFUSED(write_to_receiver)
    HALLMARK_REFUSED(write_strided)
    HALLMARK_REFUSED(flush_writes)
    HALLMARK_REFUSED(set_entry_size)
};

#undef HALLMARK_REFUSED

}  // namespace experimental

// Circular buffers with pages on other cores (global circular buffers). Captures do not have them.
#pragma once

#include "hallmark/refused.h"

namespace experimental {

#define HALLMARK_OF_REMOTE_BUFFERS(name) HALLMARK_REFUSED(name, "Hallmark has no global circular buffers")

HALLMARK_OF_REMOTE_BUFFERS(remote_cb_wait_front)
HALLMARK_OF_REMOTE_BUFFERS(remote_cb_pop_front)
HALLMARK_OF_REMOTE_BUFFERS(remote_cb_reserve_back)
HALLMARK_OF_REMOTE_BUFFERS(remote_cb_push_back_and_write_pages)
HALLMARK_OF_REMOTE_BUFFERS(remote_cb_sender_barrier)
HALLMARK_OF_REMOTE_BUFFERS(resize_remote_sender_cb_interface)
HALLMARK_OF_REMOTE_BUFFERS(resize_remote_receiver_cb_interface)
HALLMARK_OF_REMOTE_BUFFERS(align_local_cbs_to_remote_cb)
HALLMARK_OF_REMOTE_BUFFERS(update_remote_cb_config_in_l1)
HALLMARK_OF_REMOTE_BUFFERS(update_remote_cb_configs_in_l1)

class RemoteCircularBuffer {
public:
    enum class RemotePointerUpdate { SKIP, UPDATE_OVER_NOC };

    template <typename Index>
    [[gnu::error("Hallmark has no global circular buffers")]] explicit RemoteCircularBuffer(Index remote_cb_index);

    HALLMARK_OF_REMOTE_BUFFERS(reserve_back)
    HALLMARK_OF_REMOTE_BUFFERS(wait_front)
    HALLMARK_OF_REMOTE_BUFFERS(pop_front)
    HALLMARK_OF_REMOTE_BUFFERS(set_sender_page_size)
    HALLMARK_OF_REMOTE_BUFFERS(set_receiver_page_size)
    HALLMARK_OF_REMOTE_BUFFERS(barrier)
    HALLMARK_OF_REMOTE_BUFFERS(commit)
    HALLMARK_OF_REMOTE_BUFFERS(scoped_lock)

    template <typename... Types, typename... Arguments>
    [[gnu::error("Hallmark has no global circular buffers")]] void push_back(Arguments&&...);
};

#undef HALLMARK_OF_REMOTE_BUFFERS

}  // namespace experimental

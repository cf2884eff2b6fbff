// Circular buffers with pages on other cores (global circular buffers). Captures do not have them.
#pragma once

#include <stdint.h>

namespace experimental {

#define HALLMARK_REFUSED(name)                       \
    template <typename... ARGUMENTS>                 \
    [[gnu::error("Hallmark has no global circular buffers")]] void name(ARGUMENTS...);

HALLMARK_REFUSED(remote_cb_wait_front)
HALLMARK_REFUSED(remote_cb_pop_front)
HALLMARK_REFUSED(remote_cb_reserve_back)
HALLMARK_REFUSED(remote_cb_push_back_and_write_pages)
HALLMARK_REFUSED(remote_cb_sender_barrier)
HALLMARK_REFUSED(resize_remote_sender_cb_interface)
HALLMARK_REFUSED(resize_remote_receiver_cb_interface)
HALLMARK_REFUSED(align_local_cbs_to_remote_cb)
HALLMARK_REFUSED(update_remote_cb_config_in_l1)
HALLMARK_REFUSED(update_remote_cb_configs_in_l1)

#undef HALLMARK_REFUSED

}  // namespace experimental

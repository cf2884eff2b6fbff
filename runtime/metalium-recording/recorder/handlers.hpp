// What each hook does; the table in `src/recorder/hooks.rs` says which symbol has which.
#pragma once

#include "recorder.hpp"

namespace hallmark::recorder::handlers {

extern const Handler open_device;
extern const Handler open_devices;
extern const Handler close_device;
extern const Handler create_buffer;
extern const Handler free_buffer;
extern const Handler transfer;
extern const Handler write_shard;
extern const Handler read_shard;
extern const Handler wait;
extern const Handler copy;
extern const Handler finish;
extern const Handler enqueue_workload;
extern const Handler program_created;
extern const Handler program_destroyed;
extern const Handler kernel_compiled;
extern const Handler record_event;
extern const Handler record_event_to_host;
extern const Handler wait_for_event;
extern const Handler synchronize_event;
extern const Handler query_event;
extern const Handler trace_call;
extern const Handler replay_call;
extern const Handler begin_trace;
extern const Handler end_trace;
extern const Handler replay_trace;
extern const Handler release_trace;
extern const Handler sub_devices;
extern const Handler part_of_mesh;
extern const Handler global_circular_buffer;
extern const Handler pinned_memory;
extern const Handler launch_without_queue;
extern const Handler access_to_core;
extern const Handler access_to_channel;
extern const Handler access_without_queue;
extern const Handler write_without_queue;
extern const Handler command_list;
extern const Handler transfer_of_core;
extern const Handler tensor_prefetcher;

}  // namespace hallmark::recorder::handlers

#include "handlers.hpp"

#include <cstdlib>
#include <cstring>

#include "cuts.hpp"
#include "process.hpp"
#include "programs.hpp"

namespace hallmark::recorder {

namespace {

constexpr char kSecondDevice[] = "a second device";
constexpr char kWithoutQueue[] = "an access to a buffer without a queue";

const mesh::MeshCommandQueueMembers& queue_of(const Call& call, int argument = 0) {
    return *call.pointer<const mesh::MeshCommandQueueMembers>(argument);
}

// The chip's number, and its Tensix tiles that are fused off, by their places on NoC 0.
void chip(const mesh::MeshDevice* device, Payload& payload) {
    auto chips = library.device_ids(device);
    int number = chips.empty() ? 0 : chips.front();
    auto cluster = &library.cluster(&library.context(metal::kDefaultContext));
    auto harvested = library.harvested_cores(&library.chip(cluster, number), tt::kTensix, tt::kNoc0);
    payload.u32(static_cast<std::uint32_t>(number));
    payload.u32(static_cast<std::uint32_t>(harvested.size()));
    for (const auto& core : harvested) {
        payload.u32(static_cast<std::uint32_t>(core.x));
        payload.u32(static_cast<std::uint32_t>(core.y));
    }
}

void append_device(const mesh::MeshDevice* device, std::uint64_t l1_small, std::uint64_t traces, std::uint64_t queues,
    std::uint64_t worker_l1) {
    auto grid = library.device_grid(device);
    Payload payload;
    auto architecture = library.device_architecture(device);
    bool has_several = library.num_devices(device) != 1;
    Payload of_chip;
    chip(device, of_chip);
    bool is_second;
    {
        StateLock lock;
        is_second = process.has_device();
        payload.u32(process.open(device));
        payload.u32(architecture);
        payload.u32(static_cast<std::uint32_t>(grid.x));
        payload.u32(static_cast<std::uint32_t>(grid.y));
        payload.u64(l1_small);
        payload.u64(traces);
        payload.u8(static_cast<std::uint8_t>(queues));
        payload.u64(worker_l1);
        payload.bytes(of_chip.start(), of_chip.length());
        append(Kind::DeviceOpened, payload);
    }
    cuts().device_opened();
    if (is_second) {
        unfollowed(kSecondDevice);
    }
    if (has_several) {
        unfollowed("a mesh of several devices");
    }
}

// A device that was opened by a call that is not hooked is followed as well. Its sizes of memory are unknown.
bool follows(const mesh::MeshDevice* device) {
    {
        StateLock lock;
        if (process.has_device()) {
            return process.is_followed(device);
        }
        if (process.is_closed(device)) {
            return false;
        }
    }
    append_device(device, 0, 0, library.device_queues(device), 0);
    unfollowed("the sizes of memory of a device that was opened in an unknown way");
    StateLock lock;
    return process.is_followed(device);
}

// `create_unit_mesh` and `create` have a device number or a configuration in the second place, and the rest in common:
// bytes of L1_SMALL, of traces, number of queues, dispatch cores; in memory, the remapping's start and length, then bytes
// of L1 for workers.
void opened(Call& call) {
    auto device = *reinterpret_cast<const mesh::MeshDevice* const*>(call.result[0]);
    append_device(device, call.argument[2], call.argument[3], call.argument[4], call.stack[2]);
}

void opened_several(Call& call) {
    // A map from numbers to shared pointers, whose first word is the device.
    auto& devices = *reinterpret_cast<const std::map<int, std::shared_ptr<mesh::MeshDevice>>*>(call.result[0]);
    for (const auto& [number, device] : devices) {
        append_device(device.get(), call.argument[2], call.argument[3], call.argument[4], call.stack[2]);
    }
}

void may_block(Call& call) { call.blocks = true; }

void closing(Call& call) {
    call.blocks = true;
    StateLock lock;
    std::uint32_t number;
    if (process.close(call.pointer<const mesh::MeshDevice>(0), number)) {
        Payload payload;
        payload.u32(number);
        append(Kind::DeviceClosed, payload);
    }
}

// Makes a buffer as a call does, at an address that is given or not.
std::shared_ptr<mesh::MeshBuffer> create_alike(const Call& call, std::optional<std::uint64_t> address) {
    using Create = std::shared_ptr<mesh::MeshBuffer>(const void*, const void*, void*, std::optional<std::uint64_t>);
    auto create = reinterpret_cast<Create*>(real_of(call));
    return create(call.pointer<void>(1), call.pointer<void>(2), call.pointer<void>(3), address);
}

// Another buffer in front of the first of each kind: what follows the buffers has moved in the second of two runs.
void shift(Call& call) {
    static bool is_shifted[kTraceBuffer + 1];
    auto& local = *call.pointer<const mesh::DeviceLocalBufferConfig>(2);
    auto type = static_cast<std::size_t>(local.buffer_type);
    bool is_at_address = (call.argument[5] & 1) != 0;
    if (std::getenv(kShiftVariable) == nullptr || type >= kTraceBuffer || is_shifted[type] || is_at_address) {
        return;
    }
    is_shifted[type] = true;
    // Never freed.
    new std::shared_ptr(create_alike(call, std::nullopt));
}

// At cuts the recorder reads a buffer by an object of its own: commands move theirs.
void show_memory(const Call& call, std::uint64_t buffer, std::uint64_t address) {
    std::vector<std::shared_ptr<mesh::MeshBuffer>> freed;
    auto shown = create_alike(call, address);
    StateLock lock;
    freed = process.take_freed();
    process.add_memory({buffer, std::move(shown)});
}

void created(Call& call) {
    auto device = call.pointer<const mesh::MeshDevice>(3);
    auto& made = *reinterpret_cast<const std::shared_ptr<mesh::MeshBuffer>*>(call.result[0]);
    auto& local = *call.pointer<const mesh::DeviceLocalBufferConfig>(2);
    auto type = static_cast<std::uint32_t>(local.buffer_type);
    if (made == nullptr || type == kSystemMemoryBuffer || type == kTraceBuffer || !follows(device)) {
        return;
    }
    auto buffer = library.reference_buffer(made.get());
    auto backing = library.backing_buffer(made.get());
    std::uint64_t id = library.buffer_id(buffer);
    auto layout = library.buffer_layout(buffer);
    bool is_sharded = layout != kInterleaved && library.buffer_is_sharded(buffer);
    if (layout != kInterleaved && !is_sharded) {
        unfollowed("a buffer that is sharded in more than two dimensions");
    }
    Payload payload;
    payload.u64(id);
    payload.u64(library.buffer_address(buffer));
    payload.boolean((call.argument[5] & 1) != 0);
    payload.u64(library.buffer_size(buffer));
    payload.u64(library.buffer_page_size(buffer));
    payload.u64(library.buffer_size_per_bank(buffer));
    payload.u32(library.buffer_type(buffer));
    payload.u32(layout);
    payload.u8(local.bottom_up ? (*local.bottom_up ? 1 : 0) : 2);
    payload.boolean(is_sharded);
    if (is_sharded) {
        auto sharding = library.buffer_sharding(buffer);
        cores(metal::ranges(sharding.shard.grid), payload);
        payload.u32(sharding.shard.shape[0]);
        payload.u32(sharding.shard.shape[1]);
        payload.u32(static_cast<std::uint32_t>(sharding.shard.orientation));
        payload.u32(sharding.page_shape[0]);
        payload.u32(sharding.page_shape[1]);
        payload.u32(sharding.tensor_shape_in_pages[0]);
        payload.u32(sharding.tensor_shape_in_pages[1]);
    }
    std::optional<std::uint64_t> backing_id;
    if (backing != nullptr) {
        backing_id = library.buffer_id(backing);
    }
    {
        StateLock lock;
        payload.u32(process.device());
        process.add_buffer(id, backing_id);
        append(Kind::BufferAllocated, payload);
    }
    if (backing_id && cuts().is_asked()) {
        show_memory(call, id, library.buffer_address(buffer));
    }
}

// The allocator frees memory, whoever caused it: a mesh buffer that was moved from frees nothing.
void freed(Call& call) {
    std::uint64_t backing = library.buffer_id(call.pointer<const metal::Buffer>(1));
    StateLock lock;
    auto buffer = process.take_backing(backing);
    if (buffer) {
        Payload payload;
        payload.u64(*buffer);
        append(Kind::BufferFreed, payload);
    }
}

bool is_blocking(const Call& call) {
    for (auto outer = call.outer; outer != nullptr; outer = outer->outer) {
        if (outer->is_followed && hooks[outer->index].handler == &handlers::transfer) {
            return is_told_to_block(*outer);
        }
    }
    return false;
}

struct Moved {
    std::uint64_t buffer;
    std::uint64_t offset;
    std::uint64_t size;
};

bool moved(const Call& call, const void* region_argument, Moved& result) {
    auto& queue = queue_of(call);
    if (!follows(queue.device)) {
        return false;
    }
    auto buffer = library.reference_buffer(call.pointer<const mesh::MeshBuffer>(1));
    auto& region = *static_cast<const std::optional<metal::BufferRegion>*>(region_argument);
    result.buffer = library.buffer_id(buffer);
    result.offset = region ? region->offset : 0;
    result.size = region ? region->size : library.buffer_size(buffer);
    StateLock lock;
    // What the vendor's library makes for itself is not known: binaries, traces.
    return process.knows_buffer(result.buffer);
}

void transfer(const Call& call, const Moved& moved, Payload& payload) {
    payload.u64(moved.buffer);
    payload.u8(static_cast<std::uint8_t>(queue_of(call).queue));
    payload.u64(moved.offset);
    payload.u64(moved.size);
    payload.boolean(is_blocking(call));
}

// The queue, the buffer, its coordinate, the data, the region, pinned memory; in memory, the sub-devices' start and
// length, then the cores that are written.
void writing(Call& call) {
    Moved what;
    if (!moved(call, call.pointer<void>(4), what)) {
        return;
    }
    if (call.stack[2] != 0) {
        unfollowed("a write to some of a buffer's cores");
    }
    Payload payload;
    transfer(call, what, payload);
    {
        StateLock lock;
        call.is_begun = append_memory(Kind::Written, payload, call.pointer<void>(3), what.size);
    }
    if (!call.is_begun) {
        unfollowed("a write whose data cannot be copied");
    }
}

// The buffer; the start and length of the data. Captures write through queues alone.
void writing_without_queue(Call& call) {
    if (may_be_work_for_a_call()) {
        return;
    }
    std::uint64_t buffer = library.buffer_id(call.pointer<const metal::Buffer>(0));
    std::uint64_t size = call.argument[2];
    Payload payload;
    payload.u64(buffer);
    payload.u8(0);
    payload.u64(0);
    payload.u64(size);
    payload.boolean(true);
    {
        StateLock lock;
        call.is_begun =
            process.knows_buffer(buffer) && append_memory(Kind::Written, payload, call.pointer<void>(1), size);
    }
    unfollowed(call.is_begun ? "the moment of a write without a queue, which the capture has wait for queue 0"
                             : kWithoutQueue);
}

// The queue, the buffer, its coordinate, where the data go, pinned memory, the region.
void reading(Call& call) {
    Moved what;
    if (!moved(call, call.pointer<void>(5), what)) {
        return;
    }
    Payload payload;
    StateLock lock;
    payload.u32(process.begin_read(queue_of(call).queue, call.pointer<void>(3), what.size));
    transfer(call, what, payload);
    append_call(call, Kind::ReadBegun, payload);
}

void complete_reads(std::uint32_t queue, std::uint32_t before) {
    while (true) {
        Process::Read read;
        {
            StateLock lock;
            if (!process.take_read(queue, before, read)) {
                return;
            }
        }
        Payload payload;
        payload.u32(read.number);
        bool is_read;
        {
            StateLock lock;
            is_read = append_memory(Kind::ReadCompleted, payload, read.to, read.size);
        }
        // A command that did not wait for its read may have freed the memory.
        if (!is_read) {
            unfollowed("a read whose data cannot be copied");
        }
    }
}

// What a queue's thread waits for is done afterwards, with all that came before it.
void waiting(Call& call) {
    release_order();
    StateLock lock;
    call.scratch[0] = process.reads_begun();
}

void waited(Call& call) {
    auto& queue = queue_of(call);
    bool is_followed;
    {
        StateLock lock;
        is_followed = process.is_followed(queue.device);
    }
    if (is_followed) {
        complete_reads(queue.queue, static_cast<std::uint32_t>(call.scratch[0]));
    }
}

void copying(Call& call) {
    if (is_told_to_block(call)) {
        waiting(call);
    }
}

void copied(Call& call) {
    if (is_told_to_block(call)) {
        waited(call);
    }
}

void append_queue(Call& call, Kind kind) {
    Payload payload;
    payload.u8(static_cast<std::uint8_t>(queue_of(call).queue));
    StateLock lock;
    append_call(call, kind, payload);
}

void finishing(Call& call) {
    call.blocks = true;
    if (follows(queue_of(call).device)) {
        append_queue(call, Kind::Finish);
    }
    StateLock lock;
    call.scratch[0] = process.reads_begun();
}

// The programs of a workload that are followed.
std::vector<const metal::detail::ProgramImpl*> programs_of(const mesh::MeshWorkload* workload) {
    std::vector<const metal::detail::ProgramImpl*> known;
    for (auto node = library.programs(workload).first; node != nullptr; node = node->next) {
        StateLock lock;
        if (process.knows_program(node->program)) {
            known.push_back(node->program);
        }
    }
    return known;
}

void enqueuing(Call& call) {
    auto& queue = queue_of(call);
    if (!follows(queue.device)) {
        return;
    }
    auto programs = programs_of(call.pointer<const mesh::MeshWorkload>(1));
    if (cuts().is_asked()) {
        std::vector<std::string> operations;
        for (auto program : programs) {
            operations.push_back(operation(program));
        }
        cuts().launch(queue.device, operations);
    }
    for (auto program : programs) {
        std::uint64_t id = library.program_id(program);
        bool is_new;
        {
            StateLock lock;
            is_new = !process.is_described(id);
        }
        Payload description;
        if (is_new) {
            describe(program, description);
        }
        Payload enqueued;
        snapshot(program, queue.queue, is_told_to_block(call), enqueued);
        StateLock lock;
        if (is_new && process.describe(id)) {
            append(Kind::ProgramDescribed, description);
        }
        append_call(call, Kind::ProgramEnqueued, enqueued);
    }
    if (!call.is_begun) {
        unfollowed("a workload without a known program");
    }
}

void program_made(Call& call) {
    StateLock lock;
    process.add_program(call.pointer<void>(0));
}

void program_gone(Call& call) {
    auto program = call.pointer<const metal::detail::ProgramImpl>(0);
    std::uint64_t id = library.program_id(program);
    StateLock lock;
    process.remove_program(program);
    if (process.forget(id)) {
        Payload payload;
        payload.u64(id);
        append(Kind::ProgramDestroyed, payload);
    }
}

// The program, the device, a shared pointer to the kernel, options, the folder below which kernels are built.
void compiled(Call& call) {
    auto program = call.pointer<const metal::detail::ProgramImpl>(0);
    const auto& kernel = *call.pointer<const std::shared_ptr<metal::Kernel>>(2);
    if (program == nullptr || kernel == nullptr || !has_generated_bindings(*kernel)) {
        return;
    }
    auto kernels = static_cast<std::uint32_t>(library.num_kernels(program));
    for (std::uint32_t handle = 0; handle < kernels; ++handle) {
        if (library.kernel(program, handle) == kernel) {
            std::string text = generated_bindings(
                *call.pointer<const std::string>(4) + "/" + library.kernel_full_name(kernel.get()));
            Payload payload;
            payload.u64(library.program_id(program));
            payload.u32(handle);
            StateLock lock;
            append(Kind::BindingsGenerated, payload, text.data(), text.size());
        }
    }
}

void append_event(Kind kind, const mesh::MeshEventImpl& event, Call* call, Payload& payload) {
    payload.u8(static_cast<std::uint8_t>(event.queue));
    payload.u32(event.number);
    StateLock lock;
    if (call != nullptr) {
        append_call(*call, kind, payload);
    } else {
        append(kind, payload);
    }
}

void event_recorded(Call& call, bool is_visible) {
    const auto& event = library.event(reinterpret_cast<const mesh::MeshEvent*>(call.result[0]));
    if (!follows(event.device)) {
        return;
    }
    Payload payload;
    payload.boolean(is_visible);
    append_event(Kind::EventRecorded, event, nullptr, payload);
    StateLock lock;
    process.add_event(event.queue, event.number);
}

void recorded(Call& call) { event_recorded(call, false); }
void recorded_to_host(Call& call) { event_recorded(call, true); }

void waiting_for_event(Call& call) {
    auto& queue = queue_of(call);
    if (follows(queue.device)) {
        Payload payload;
        payload.u8(static_cast<std::uint8_t>(queue.queue));
        append_event(Kind::EventWaitedFor, library.event(call.pointer<const mesh::MeshEvent>(1)), &call, payload);
    }
}

void synchronizing(Call& call) {
    call.blocks = true;
    const auto& event = library.event(call.pointer<const mesh::MeshEvent>(0));
    if (follows(event.device)) {
        Payload payload;
        append_event(Kind::EventSynchronized, event, &call, payload);
    }
}

void event_has_happened(const mesh::MeshEventImpl& event) {
    std::uint32_t before;
    {
        StateLock lock;
        before = process.reads_before(event.queue, event.number);
    }
    complete_reads(event.queue, before);
}

void synchronized(Call& call) {
    if (call.is_begun) {
        event_has_happened(library.event(call.pointer<const mesh::MeshEvent>(0)));
    }
}

void queried(Call& call) {
    const auto& event = library.event(call.pointer<const mesh::MeshEvent>(0));
    if (!follows(event.device)) {
        return;
    }
    bool has_happened = (call.result[0] & 1) != 0;
    Payload payload;
    payload.boolean(has_happened);
    append_event(Kind::EventQueried, event, nullptr, payload);
    if (has_happened) {
        event_has_happened(event);
    }
}

void append_trace(Call& call, Kind kind, std::uint32_t trace, Payload& payload) {
    payload.u32(trace);
    StateLock lock;
    append_call(call, kind, payload);
}

void trace_begun(Call& call) {
    auto& queue = queue_of(call);
    if (!follows(queue.device)) {
        return;
    }
    auto trace = *call.pointer<const std::uint32_t>(1);
    Payload payload;
    payload.u8(static_cast<std::uint8_t>(queue.queue));
    payload.u32(trace);
    cuts().begin_trace(trace);
    StateLock lock;
    append(Kind::TraceBegun, payload);
    process.begin_trace(queue.queue, trace);
}

void trace_ends(Call& call) {
    auto& queue = queue_of(call);
    if (!follows(queue.device)) {
        return;
    }
    Payload payload;
    payload.u8(static_cast<std::uint8_t>(queue.queue));
    std::uint32_t trace;
    {
        StateLock lock;
        trace = process.trace_of(queue.queue);
    }
    append_trace(call, Kind::TraceEnded, trace, payload);
    cuts().end_trace();
}

// Of the device.
void trace_called(Call& call) {
    auto device = call.pointer<const mesh::MeshDevice>(0);
    if (cuts().is_asked() && follows(device)) {
        cuts().settle(device);
    }
}

// The device, a queue, the trace.
void trace_will_be_replayed(Call& call) {
    auto device = call.pointer<const mesh::MeshDevice>(0);
    if (cuts().is_asked() && follows(device)) {
        cuts().replay(device, *call.pointer<const std::uint32_t>(2));
    }
}

void trace_replays(Call& call) {
    auto& queue = queue_of(call);
    if (!follows(queue.device)) {
        return;
    }
    Payload payload;
    payload.u8(static_cast<std::uint8_t>(queue.queue));
    payload.boolean(is_told_to_block(call));
    append_trace(call, Kind::TraceReplayed, *call.pointer<const std::uint32_t>(1), payload);
}

void trace_goes(Call& call) {
    if (follows(call.pointer<const mesh::MeshDevice>(0))) {
        Payload payload;
        append_trace(call, Kind::TraceReleased, *call.pointer<const std::uint32_t>(1), payload);
    }
}

}  // namespace

namespace handlers {

constinit const Handler open_device{.before = may_block, .after = opened, .suppresses = true, .is_ordered = true};
constinit const Handler open_devices{.before = may_block, .after = opened_several, .suppresses = true, .is_ordered = true};
constinit const Handler close_device{.before = closing, .after = nullptr, .suppresses = true, .is_ordered = true};
constinit const Handler create_buffer{.before = shift, .after = created, .suppresses = true, .is_ordered = true};
constinit const Handler free_buffer{.before = freed, .after = nullptr, .always = true};
constinit const Handler transfer{.before = nullptr, .after = nullptr, .is_ordered = true};
constinit const Handler write_shard{.before = writing, .after = nullptr, .suppresses = true};
constinit const Handler write_without_queue{.before = writing_without_queue, .after = nullptr, .suppresses = true};
constinit const Handler read_shard{.before = reading, .after = nullptr, .suppresses = true};
constinit const Handler wait{.before = waiting, .after = waited, .suppresses = true, .always = true};
constinit const Handler copy{.before = copying, .after = copied, .suppresses = true};
constinit const Handler finish{.before = finishing, .after = waited, .suppresses = true, .is_ordered = true};
constinit const Handler enqueue_workload{.before = enqueuing, .after = nullptr, .suppresses = true, .is_ordered = true};
constinit const Handler program_created{.before = program_made, .after = nullptr, .always = true};
constinit const Handler program_destroyed{.before = program_gone, .after = nullptr, .always = true};
constinit const Handler kernel_compiled{.before = compiled, .after = nullptr, .always = true};
constinit const Handler record_event{.before = nullptr, .after = recorded, .suppresses = true, .is_ordered = true};
constinit const Handler record_event_to_host{
    .before = nullptr, .after = recorded_to_host, .suppresses = true, .is_ordered = true};
constinit const Handler wait_for_event{.before = waiting_for_event, .after = nullptr, .suppresses = true, .is_ordered = true};
constinit const Handler synchronize_event{
    .before = synchronizing, .after = synchronized, .suppresses = true, .is_ordered = true};
constinit const Handler query_event{.before = nullptr, .after = queried, .suppresses = true, .is_ordered = true};
constinit const Handler trace_call{.before = nullptr, .after = trace_called, .suppresses = true, .is_ordered = true};
constinit const Handler replay_call{
    .before = trace_will_be_replayed, .after = nullptr, .suppresses = true, .is_ordered = true};
constinit const Handler begin_trace{.before = nullptr, .after = trace_begun, .always = true};
constinit const Handler end_trace{.before = trace_ends, .after = nullptr, .always = true};
constinit const Handler replay_trace{.before = trace_replays, .after = nullptr, .suppresses = true, .always = true};
constinit const Handler release_trace{.before = trace_goes, .after = nullptr, .suppresses = true, .is_ordered = true};

// What captures have no command for.
#define UNFOLLOWED(name, what)               \
    constinit const Handler name{            \
        .before =                            \
            [](Call&) {                      \
                if (!may_be_work_for_a_call()) { \
                    unfollowed(what);        \
                }                            \
            },                               \
        .after = nullptr}
UNFOLLOWED(sub_devices, "a manager of sub-devices");
UNFOLLOWED(part_of_mesh, "a mesh that is a part of another one");
UNFOLLOWED(global_circular_buffer, "a global circular buffer");
UNFOLLOWED(pinned_memory, "pinned host memory");
UNFOLLOWED(launch_without_queue, "a program that was launched without a queue");
UNFOLLOWED(access_to_core, "an access to a core's memory without a buffer");
UNFOLLOWED(access_to_channel, "an access to a DRAM channel without a buffer");
UNFOLLOWED(access_without_queue, kWithoutQueue);
UNFOLLOWED(command_list, "a list of commands that was enqueued as one");
UNFOLLOWED(transfer_of_core, "a transfer to or from a core's memory by address");
UNFOLLOWED(tensor_prefetcher, "a tensor prefetcher");
#undef UNFOLLOWED

}  // namespace handlers
}  // namespace hallmark::recorder

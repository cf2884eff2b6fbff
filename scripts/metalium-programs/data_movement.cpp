// Programs of the host API from C++, with kernels of our own: `data_movement FOLDER-OF-KERNELS NAME`. Each prints whether
// it read what it should have read. The wheel has no host headers; metalium_abi.hpp declares what is called.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <numeric>

#include "metalium_abi.hpp"

using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kPages = 8;
constexpr std::uint32_t kPage = 256;
constexpr std::uint32_t kBytes = kPages * kPage;
// What a TensorAccessor of an interleaved buffer has as compile-time arguments: flags, bytes of a page.
constexpr std::uint32_t kAccessorOfDram[] = {2, kPage};
constexpr std::uint32_t kAccessorOfL1[] = {0, kPage};
constexpr auto kUInt32 = tt::DataFormat(numbers::DataFormat::UInt32);

struct Options {
    std::size_t trace_region_size = 0;
    std::size_t queues = 1;
};

Words numbers(std::uint32_t first) {
    Words words(kBytes / 4);
    std::iota(words.begin(), words.end(), first);
    return words;
}

void says(const char* what, bool is_right) {
    std::printf("%s: %s\n", what, is_right ? "right" : "WRONG");
    std::fflush(stdout);
}

CoreRangeSet cores_to(std::size_t x) {
    CoreRange range{{0, 0}, {x, 0}};
    return CoreRangeSet(std::span<const CoreRange>(&range, 1));
}

CoreRangeSet core(std::size_t x) {
    CoreRange range{{x, 0}, {x, 0}};
    return CoreRangeSet(std::span<const CoreRange>(&range, 1));
}

// A device with what the programs do on it.
struct Session {
    std::string kernels;
    std::shared_ptr<MeshDevice> device;
    MeshCoordinate origin{0, 0};
    MeshCoordinateRange everywhere{origin, origin};

    MeshCommandQueue& queue(std::uint8_t number = 0) const { return device->mesh_command_queue(number); }

    std::shared_ptr<MeshBuffer> buffer(BufferType type, std::uint64_t size = kBytes) const {
        DeviceLocalBufferConfig local;
        local.page_size = kPage;
        local.buffer_type = type;
        return MeshBuffer::create(ReplicatedBufferConfig{size}, local, device.get(), std::nullopt);
    }

    // A page on each core of a row.
    std::shared_ptr<MeshBuffer> sharded(std::uint32_t cores) const {
        ShardSpec shard{cores_to(cores - 1), {1, kPage / 4}, ShardOrientation::ROW_MAJOR};
        ShardSpecBuffer specification{std::move(shard), {1, kPage / 4}, {cores, 1}};
        DeviceLocalBufferConfig local;
        local.page_size = kPage;
        local.buffer_type = BufferType::L1;
        local.sharding_args = BufferShardingArgs(std::move(specification), TensorMemoryLayout::HEIGHT_SHARDED);
        return MeshBuffer::create(ReplicatedBufferConfig{cores * kPage}, local, device.get(), std::nullopt);
    }

    void write(const std::shared_ptr<MeshBuffer>& to, const Words& words, std::uint8_t number = 0) const {
        queue(number).enqueue_write_mesh_buffer(to, words.data(), false);
    }

    Words read(const std::shared_ptr<MeshBuffer>& from, std::uint8_t number = 0) const {
        Words words(from->size() / 4);
        queue(number).enqueue_read_mesh_buffer(words.data(), from, true);
        return words;
    }

    KernelHandle kernel(
        Program& program, const char* name, const CoreRangeSet& cores, int processor, Words compile_args,
        std::map<std::string, std::string> defines = {}) const {
        DataMovementConfig config;
        config.processor = DataMovementProcessor(processor);
        config.noc = processor == 0 ? NOC_0 : NOC_1;
        config.compile_args = std::move(compile_args);
        config.defines = std::move(defines);
        return CreateKernel(program, kernels + "/" + name + ".cpp", CoreSpec(cores), config);
    }

    MeshWorkload& workload(MeshWorkload& made, Program& program) const {
        made.add_program(everywhere, program.share());
        return made;
    }

    void launch(MeshWorkload& workload, std::uint8_t number = 0, bool blocking = false) const {
        EnqueueMeshWorkload(queue(number), workload, blocking);
    }
};

void set(Program& program, KernelHandle kernel, std::size_t x, const Words& words) {
    SetRuntimeArgs(program, kernel, CoreSpec(core(x)), words);
}

std::uint32_t address(const std::shared_ptr<MeshBuffer>& buffer) {
    return static_cast<std::uint32_t>(buffer->address());
}

Words accessor(const std::uint32_t (&words)[2]) { return {words[0], words[1]}; }

Words behind(Words words, const std::uint32_t (&more)[2]) {
    words.insert(words.end(), more, more + 2);
    return words;
}

// Two cores, each of which takes half of the pages through a circular buffer; a second launch takes the halves crosswise.
void copy(const Session& on) {
    auto from = on.buffer(BufferType::DRAM), to = on.buffer(BufferType::DRAM);
    auto program = CreateProgram();
    CircularBufferConfig pages(2 * kPage, {{0, kUInt32}});
    CreateCircularBuffer(program, CoreSpec(cores_to(1)), pages.set_page_size(0, kPage));
    auto reader = on.kernel(program, "reader", cores_to(1), 1, behind({0, 2}, kAccessorOfDram));
    auto writer = on.kernel(program, "writer", cores_to(1), 0, behind({0, 2}, kAccessorOfDram));
    MeshWorkload workload;
    on.workload(workload, program);
    on.write(from, numbers(7));
    for (std::uint32_t launch : {0, 1}) {
        for (std::uint32_t x : {0, 1}) {
            set(program, reader, x, {address(from), x * kPages / 2, kPages / 2});
            set(program, writer, x, {address(to), (x ^ launch) * kPages / 2, kPages / 2});
        }
        on.launch(workload);
        auto words = on.read(to);
        auto first = numbers(7);
        if (launch == 1) {
            std::rotate(first.begin(), first.begin() + kBytes / 8, first.end());
        }
        says(launch == 0 ? "straight" : "crosswise", words == first);
    }
}

// Shards that the cores find in their own L1.
void shards(const Session& on) {
    constexpr std::uint32_t kCores = 4;
    auto from = on.sharded(kCores);
    auto to = on.buffer(BufferType::DRAM, kCores * kPage);
    Words words(kCores * kPage / 4);
    std::iota(words.begin(), words.end(), 1);
    on.write(from, words);
    auto program = CreateProgram();
    auto kernel = on.kernel(program, "shard_local", cores_to(kCores - 1), 0, accessor(kAccessorOfDram));
    for (std::uint32_t x = 0; x < kCores; x++) {
        set(program, kernel, x, {address(from), kPage, address(to), kPage, x, 1});
    }
    MeshWorkload workload;
    on.launch(on.workload(workload, program));
    says("shards", on.read(to) == words);
    says("read back", on.read(from) == words);
}

// A circular buffer whose memory is a buffer's: another one's for the second launch, and more of it for the third.
void circular_buffers(const Session& on) {
    auto from = on.buffer(BufferType::DRAM), to = on.buffer(BufferType::DRAM);
    auto first = on.sharded(2), second = on.sharded(2);
    auto program = CreateProgram();
    CircularBufferConfig pages(kPage, {{3, kUInt32}});
    pages.set_page_size(3, kPage).set_globally_allocated_address(*first->get_reference_buffer());
    auto buffer = CreateCircularBuffer(program, CoreSpec(cores_to(0)), pages);
    auto reader = on.kernel(program, "reader", cores_to(0), 1, behind({3, 1}, kAccessorOfDram));
    auto writer = on.kernel(program, "writer", cores_to(0), 0, behind({3, 1}, kAccessorOfDram));
    MeshWorkload workload;
    on.workload(workload, program);
    for (std::uint32_t launch = 0; launch < 3; launch++) {
        if (launch == 1) {
            UpdateDynamicCircularBufferAddress(program, buffer, *second->get_reference_buffer(), 0);
        } else if (launch == 2) {
            UpdateCircularBufferPageSize(program, buffer, 3, kPage / 2);
            UpdateCircularBufferPageSize(program, buffer, 3, kPage);
        }
        on.write(from, numbers(launch));
        set(program, reader, 0, {address(from), 0, kPages});
        set(program, writer, 0, {address(to), 0, kPages});
        on.launch(workload);
        says("pages", on.read(to) == numbers(launch));
    }
}

// Cores that send numbers to one of them, which collects them: semaphores, and coordinates as arguments.
void semaphores(const Session& on) {
    constexpr std::uint32_t kSenders = 3;
    auto collected = on.buffer(BufferType::L1, kPage), scratch = on.buffer(BufferType::L1, kPage);
    auto output = on.buffer(BufferType::DRAM, kPage);
    on.write(output, Words(kPage / 4));
    auto program = CreateProgram();
    auto semaphore = CreateSemaphore(program, cores_to(kSenders), 0);
    auto collector = on.kernel(program, "gather_collector", core(0), 0, accessor(kAccessorOfDram));
    set(program, collector, 0, {semaphore, kSenders, address(collected), address(output)});
    CoreRange senders{{1, 0}, {kSenders, 0}};
    auto sender = on.kernel(
        program, "gather_worker", CoreRangeSet(std::span<const CoreRange>(&senders, 1)), 1, {});
    auto at = on.device->worker_core_from_logical_core({0, 0});
    for (std::uint32_t x = 1; x <= kSenders; x++) {
        set(program,
            sender,
            x,
            {semaphore,
             static_cast<std::uint32_t>(at.x),
             static_cast<std::uint32_t>(at.y),
             address(collected),
             x - 1,
             100 * x,
             address(scratch)});
    }
    MeshWorkload workload;
    on.launch(on.workload(workload, program));
    auto words = on.read(output);
    says("collected", words[0] == 100 && words[4] == 200 && words[8] == 300);
}

// Adds a number to every word.
struct Adding {
    Program program = CreateProgram();
    KernelHandle kernel;
    MeshWorkload workload;

    Adding(
        const Session& on, const std::shared_ptr<MeshBuffer>& from, const std::shared_ptr<MeshBuffer>& to,
        const std::shared_ptr<MeshBuffer>& scratch, std::uint32_t number) :
        kernel(on.kernel(program, "add_constant", cores_to(0), 0, behind(accessor(kAccessorOfDram), kAccessorOfDram))) {
        set(program, kernel, 0, {address(from), address(to), address(scratch), kPage, kPages, number});
        on.workload(workload, program);
    }
};

Words sums(const Words& words, std::uint32_t number) {
    Words sums(words);
    for (auto& word : sums) {
        word += number;
    }
    return sums;
}

// One queue moves data, the other one computes.
void two_queues(const Session& on) {
    auto from = on.buffer(BufferType::DRAM), to = on.buffer(BufferType::DRAM);
    auto scratch = on.buffer(BufferType::L1, kPage);
    Adding adding(on, from, to, scratch, 3);
    for (std::uint32_t turn = 0; turn < 3; turn++) {
        on.write(from, numbers(turn), 1);
        on.queue(0).enqueue_wait_for_event(on.queue(1).enqueue_record_event({}, std::nullopt));
        on.launch(adding.workload);
        auto done = on.queue(0).enqueue_record_event_to_host({}, std::nullopt);
        EventSynchronize(done);
        says("event", EventQuery(done));
        says("turn", on.read(to, 1) == sums(numbers(turn), 3));
    }
    on.queue(0).finish({});
    on.queue(1).finish({});
}

void trace(const Session& on) {
    auto from = on.buffer(BufferType::DRAM), between = on.buffer(BufferType::DRAM), to = on.buffer(BufferType::DRAM);
    auto scratch = on.buffer(BufferType::L1, kPage);
    Adding first(on, from, between, scratch, 3), second(on, between, to, scratch, 40);
    auto launch = [&] {
        on.launch(first.workload);
        on.launch(second.workload);
    };
    on.write(from, numbers(0));
    launch();
    says("launched", on.read(to) == sums(numbers(0), 43));
    auto recorded = BeginTraceCapture(on.device.get(), 0);
    launch();
    on.device->end_mesh_trace(0, recorded);
    for (std::uint32_t turn : {1, 2}) {
        on.write(from, numbers(turn));
        on.device->replay_mesh_trace(0, recorded, turn == 1);
        says("replayed", on.read(to) == sums(numbers(turn), 43));
    }
    on.device->release_mesh_trace(recorded);
}

// Calls that end with an exception, and a program that goes on.
void refusals(const Session& on) {
    auto throws = [](const char* what, const std::function<void()>& call) {
        try {
            call();
            says(what, false);
        } catch (const std::exception&) {
            says(what, true);
        }
    };
    throws("a buffer larger than the memory", [&] { on.buffer(BufferType::L1, std::uint64_t{1} << 34); });
    throws("arguments that become fewer", [&] {
        auto program = CreateProgram();
        auto kernel = on.kernel(program, "blank", cores_to(0), 0, {});
        set(program, kernel, 0, {1, 2, 3});
        set(program, kernel, 0, {1});
    });
    copy(on);
}

// Buffers that come and go, so that addresses are used again.
void lifetimes(const Session& on) {
    for (std::uint32_t turn = 0; turn < 3; turn++) {
        std::vector<std::shared_ptr<MeshBuffer>> other;
        for (std::uint32_t more = 0; more < turn; more++) {
            other.push_back(on.buffer(BufferType::DRAM, (more + 1) * kPage));
        }
        auto from = on.buffer(BufferType::DRAM), to = on.buffer(BufferType::DRAM);
        auto scratch = on.buffer(BufferType::L1, kPage);
        on.write(from, numbers(turn));
        Adding adding(on, from, to, scratch, 9);
        on.launch(adding.workload, 0, true);
        says("sums", on.read(to) == sums(numbers(turn), 9));
    }
}

struct Named {
    const char* name;
    void (*run)(const Session&);
    Options options;
};
constexpr Named kPrograms[] = {
    {"copy", copy, {}},
    {"shards", shards, {}},
    {"circular_buffers", circular_buffers, {}},
    {"semaphores", semaphores, {}},
    {"two_queues", two_queues, {0, 2}},
    {"trace", trace, {1 << 16, 1}},
    {"refusals", refusals, {}},
    {"lifetimes", lifetimes, {}},
};

}  // namespace

int main(int count, char** arguments) {
    for (const auto& program : kPrograms) {
        if (count == 3 && std::string(arguments[2]) == program.name) {
            Session session;
            session.kernels = arguments[1];
            const auto& options = program.options;
            session.device = MeshDevice::create_unit_mesh(
                0, 0, options.trace_region_size, options.queues, DispatchCoreConfig{}, {}, 0);
            program.run(session);
            return session.device->close() ? 0 : 1;
        }
    }
    std::fprintf(stderr, "usage: data_movement FOLDER-OF-KERNELS NAME\n");
    return 2;
}

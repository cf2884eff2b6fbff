// A stand-in for the vendor's library, as far as the recorder looks at it: a device whose buffers are memory of the host,
// and programs of one kernel that adds 1 to the bytes of one buffer and writes them to another. What it does not
// define, the linker takes from functions that do nothing.
#include "stand_in.hpp"

#include <cstring>
#include <stdexcept>

#include "library.hpp"
#include "symbols.hpp"
#include "virtual_queue.hpp"

namespace tt::tt_metal {

// Its members lie where the release's description has them.
class DataMovementKernel {
#define SLOT(number) \
    virtual void slot_##number() {}
    SLOT(0) SLOT(1) SLOT(2) SLOT(3) SLOT(4) SLOT(5) SLOT(6) SLOT(7) SLOT(8) SLOT(9) SLOT(10)
    SLOT(11) SLOT(12) SLOT(13) SLOT(14) SLOT(15) SLOT(16) SLOT(17) SLOT(18) SLOT(19) SLOT(20)
#undef SLOT
    virtual bool is_metal2() { return false; }

public:
    unsigned char before[offsets::Kernel::source - sizeof(void*)]{};
    KernelSource source;
    unsigned char between[offsets::Kernel::configuration - offsets::Kernel::source - sizeof(KernelSource)]{};
    DataMovementConfig configuration;
};

struct Inspector {
    static void program_created(const detail::ProgramImpl*);
    static void program_destroyed(const detail::ProgramImpl*);
};
// Their calls go through the table of linkage, where the recorder stands.
void Inspector::program_created(const detail::ProgramImpl*) {}
void Inspector::program_destroyed(const detail::ProgramImpl*) {}

class AllocatorImpl {
public:
    void deallocate_buffer(Buffer*);
};
void AllocatorImpl::deallocate_buffer(Buffer*) {}

BufferShardingArgs::BufferShardingArgs() : impl_(nullptr) {}
BufferShardingArgs::~BufferShardingArgs() = default;

class IDevice;
namespace experimental {
class PinnedMemory;
}

}  // namespace tt::tt_metal

namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

std::uint64_t made = 0;
std::map<std::uint64_t, std::vector<unsigned char>> memory;
std::uint64_t free_address = 0x1000;

struct BufferMembers {
    std::uint64_t id = ++made;
    std::uint64_t address;
    std::uint64_t size;
    std::uint64_t page_size;
    bool has_memory;

    BufferMembers() = default;
    BufferMembers(const BufferMembers&) = delete;
    ~BufferMembers() {
        if (has_memory) {
            AllocatorImpl().deallocate_buffer(reinterpret_cast<Buffer*>(this));
        }
    }
};
const BufferMembers& of(const Buffer* buffer) { return *reinterpret_cast<const BufferMembers*>(buffer); }
std::vector<unsigned char>& bytes_of(const MeshBuffer& buffer) {
    return memory.at(of(buffer.get_reference_buffer()).address);
}

struct ProgramOfOneKernel {
    std::uint64_t id = ++made;
    std::shared_ptr<DataMovementKernel> kernel = std::make_shared<DataMovementKernel>();
    std::vector<std::uint32_t> words;
    std::vector<std::vector<RuntimeArgsData>> arguments;
    RuntimeArgsData none{nullptr, 0};
};
const ProgramOfOneKernel& of(const detail::ProgramImpl* program) {
    return *reinterpret_cast<const ProgramOfOneKernel*>(program);
}
std::map<const Kernel*, ProgramOfOneKernel*> kernels;

struct Workload {
    ProgramMap map{};
    ProgramNode* node;
};
Workload& of(const MeshWorkload& workload) {
    return **reinterpret_cast<Workload**>(const_cast<MeshWorkload*>(&workload));
}

}  // namespace

namespace tt::tt_metal::distributed {

std::shared_ptr<MeshBuffer> MeshBuffer::create(
    const std::variant<ReplicatedBufferConfig, ShardedBufferConfig>& config,
    const DeviceLocalBufferConfig& local,
    MeshDevice*,
    std::optional<std::uint64_t> address) {
    std::uint64_t size = std::get<ReplicatedBufferConfig>(config).size;
    auto buffer = std::make_shared<BufferMembers>();
    buffer->address = address.value_or(free_address);
    buffer->size = size;
    buffer->page_size = local.page_size;
    buffer->has_memory = !address;
    if (!address) {
        free_address += size;
        memory[buffer->address].resize(size);
    }
    return std::shared_ptr<MeshBuffer>(buffer, reinterpret_cast<MeshBuffer*>(buffer.get()));
}
Buffer* MeshBuffer::get_reference_buffer() const { return reinterpret_cast<Buffer*>(const_cast<MeshBuffer*>(this)); }

MeshCoordinate::MeshCoordinate(std::uint32_t, std::uint32_t) {}
MeshWorkload::MeshWorkload() { *reinterpret_cast<Workload**>(this) = new Workload; }
MeshWorkload::~MeshWorkload() = default;

class MeshCommandQueueBase : public VirtualQueue {
public:
    MeshDevice* device;
    std::uint32_t queue = 0;
    void enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>&, const void*, bool) override;
    void enqueue_read_mesh_buffer(void*, const std::shared_ptr<MeshBuffer>&, bool) override;
    virtual void write_shard_to_device(
        const MeshBuffer&, const MeshCoordinate&, const void*, const std::optional<BufferRegion>&,
        std::span<const SubDeviceId>, std::shared_ptr<experimental::PinnedMemory>, const CoreRangeSet*) = 0;
    virtual void finish_nolock(std::span<const SubDeviceId>) = 0;
    virtual void read_shard_from_device(
        const MeshBuffer&, const MeshCoordinate&, void*, std::shared_ptr<experimental::PinnedMemory>,
        const std::optional<BufferRegion>&, std::unordered_map<IDevice*, std::uint32_t>&,
        std::span<const SubDeviceId>) = 0;
};

class FDMeshCommandQueue final : public MeshCommandQueueBase {
public:
    ~FDMeshCommandQueue() override = default;
    void slot_2() override {}
    void slot_3() override {}
    void enqueue_mesh_workload(MeshWorkload&, bool) override;
    void enqueue_write_shard_to_sub_grid(
        const MeshBuffer&, const void*, const MeshCoordinateRange&, bool, std::optional<BufferRegion>) override {}
    void slot_7() override {}
    void slot_8() override {}
    void slot_10() override {}
    void slot_11() override {}
    MeshEvent enqueue_record_event(std::span<const SubDeviceId>, const std::optional<MeshCoordinateRange>&) override {
        throw std::runtime_error("there are no events");
    }
    MeshEvent enqueue_record_event_to_host(
        std::span<const SubDeviceId>, const std::optional<MeshCoordinateRange>&) override {
        throw std::runtime_error("there are no events");
    }
    void enqueue_wait_for_event(const MeshEvent&) override {}
    void finish(std::span<const SubDeviceId>) override;
    void finish_nolock(std::span<const SubDeviceId>) override;
    void write_shard_to_device(
        const MeshBuffer&, const MeshCoordinate&, const void*, const std::optional<BufferRegion>&,
        std::span<const SubDeviceId>, std::shared_ptr<experimental::PinnedMemory>, const CoreRangeSet*) override;
    void read_shard_from_device(
        const MeshBuffer&, const MeshCoordinate&, void*, std::shared_ptr<experimental::PinnedMemory>,
        const std::optional<BufferRegion>&, std::unordered_map<IDevice*, std::uint32_t>&,
        std::span<const SubDeviceId>) override;
};

void MeshCommandQueueBase::enqueue_write_mesh_buffer(
    const std::shared_ptr<MeshBuffer>& buffer, const void* data, bool) {
    write_shard_to_device(*buffer, MeshCoordinate(0, 0), data, std::nullopt, {}, nullptr, nullptr);
}
void MeshCommandQueueBase::enqueue_read_mesh_buffer(void* data, const std::shared_ptr<MeshBuffer>& buffer, bool blocking) {
    std::unordered_map<IDevice*, std::uint32_t> transactions;
    read_shard_from_device(*buffer, MeshCoordinate(0, 0), data, nullptr, std::nullopt, transactions, {});
    if (blocking) {
        finish_nolock({});
    }
}
void FDMeshCommandQueue::write_shard_to_device(
    const MeshBuffer& buffer, const MeshCoordinate&, const void* data, const std::optional<BufferRegion>&,
    std::span<const SubDeviceId>, std::shared_ptr<experimental::PinnedMemory>, const CoreRangeSet*) {
    auto& bytes = bytes_of(buffer);
    if (stand_in_fails != Failure::WritesNothing) {
        std::memcpy(bytes.data(), data, bytes.size());
    }
}
void FDMeshCommandQueue::read_shard_from_device(
    const MeshBuffer& buffer, const MeshCoordinate&, void* data, std::shared_ptr<experimental::PinnedMemory>,
    const std::optional<BufferRegion>&, std::unordered_map<IDevice*, std::uint32_t>&, std::span<const SubDeviceId>) {
    const auto& bytes = bytes_of(buffer);
    std::memcpy(data, bytes.data(), bytes.size());
}
void FDMeshCommandQueue::finish(std::span<const SubDeviceId> all) { finish_nolock(all); }
void FDMeshCommandQueue::finish_nolock(std::span<const SubDeviceId>) {
    if (stand_in_fails == Failure::Throws) {
        throw std::runtime_error("TT_THROW @ a.cpp:1: the queue is stuck\nbacktrace:\n --- here\n");
    }
    if (stand_in_fails == Failure::ThrowsAgain) {
        std::rethrow_exception(std::make_exception_ptr(std::runtime_error("thrown again")));
    }
}
void FDMeshCommandQueue::enqueue_mesh_workload(MeshWorkload& workload, bool) {
    const auto& words = of(of(workload).node->program).words;
    auto& to = memory.at(words[1]);
    const auto& from = memory.at(words[0]);
    for (std::size_t at = 0; at < to.size(); ++at) {
        to[at] = static_cast<unsigned char>(from[at] + 1);
    }
}
void EnqueueMeshWorkload(MeshCommandQueue& queue, MeshWorkload& workload, bool blocking) {
    reinterpret_cast<VirtualQueue&>(queue).enqueue_mesh_workload(workload, blocking);
}

std::shared_ptr<MeshDevice> MeshDevice::create_unit_mesh(
    int, std::size_t, std::size_t, std::size_t, const DispatchCoreConfig&, std::span<const std::uint32_t>, std::size_t) {
    static char device;
    return std::shared_ptr<MeshDevice>(std::shared_ptr<MeshDevice>(), reinterpret_cast<MeshDevice*>(&device));
}
MeshCommandQueue& MeshDevice::mesh_command_queue(std::optional<std::uint8_t>) const {
    static FDMeshCommandQueue queue;
    queue.device = const_cast<MeshDevice*>(this);
    return reinterpret_cast<MeshCommandQueue&>(queue);
}
xy_pair MeshDevice::compute_with_storage_grid_size() const { return {8, 9}; }
bool MeshDevice::close() { return true; }

}  // namespace tt::tt_metal::distributed

Failure stand_in_fails = Failure::None;

void make_workload(MeshWorkload& workload, const char* kernel, std::uint32_t from, std::uint32_t to) {
    auto program = new ProgramOfOneKernel;
    program->kernel->source = {kernel, kSourceIsFile, kernel};
    program->words = {from, to};
    program->arguments = {{{program->words.data(), program->words.size()}}};
    kernels[reinterpret_cast<const Kernel*>(program->kernel.get())] = program;
    auto node = new ProgramNode{};
    node->program = reinterpret_cast<const detail::ProgramImpl*>(program);
    of(workload).node = node;
    of(workload).map.first = node;
    Inspector::program_created(node->program);
}

// What the recorder asks, by the names that it asks by.
namespace hallmark::recorder {

#define FUNCTION(name, type) \
    using Type_##name = type; \
    extern Type_##name answer_##name __asm__(HALLMARK_SYMBOL_##name);
#include "functions.def"
#undef FUNCTION

std::uint64_t answer_program_id(const metal::detail::ProgramImpl* program) { return of(program).id; }
std::size_t answer_num_kernels(const metal::detail::ProgramImpl*) { return 1; }
std::shared_ptr<metal::Kernel> answer_kernel(const metal::detail::ProgramImpl* program, std::uint32_t) {
    const auto& kernel = of(program).kernel;
    return std::shared_ptr<metal::Kernel>(kernel, reinterpret_cast<metal::Kernel*>(kernel.get()));
}
const std::vector<metal::Semaphore>& answer_semaphores(const metal::detail::ProgramImpl*) {
    static const std::vector<metal::Semaphore> one{{{{{0, 0}, {0, 0}}}, 0, 7, 0}};
    return one;
}
const std::vector<std::shared_ptr<metal::DataflowBufferImpl>>& answer_dataflow_buffers(
    const metal::detail::ProgramImpl*) {
    static const std::vector<std::shared_ptr<metal::DataflowBufferImpl>> none;
    return none;
}
std::span<const std::shared_ptr<metal::CircularBufferImpl>> answer_circular_buffers(const metal::detail::ProgramImpl*) {
    static const std::shared_ptr<metal::CircularBufferImpl> one;
    return {&one, 1};
}
const std::vector<metal::CoreRange>& answer_circular_buffer_cores(const metal::CircularBuffer*) {
    static const std::vector<metal::CoreRange> one{{{0, 0}, {0, 0}}};
    return one;
}
const std::unordered_set<std::uint8_t>& answer_circular_buffer_indices(const metal::CircularBuffer*) {
    static const std::unordered_set<std::uint8_t> two{5, 2};
    return two;
}
std::uint32_t answer_circular_buffer_size(const metal::CircularBuffer*) { return 128; }
std::uint32_t answer_circular_buffer_page_size(const metal::CircularBuffer*, std::uint32_t) { return 64; }
const std::optional<metal::TileMembers>& answer_circular_buffer_tile(
    const metal::CircularBufferImpl*, std::uint32_t index) {
    static const std::optional<metal::TileMembers> none;
    static const std::optional<metal::TileMembers> transposed{{16, 32, 16, 8, {}, true, true}};
    return index == 2 ? transposed : none;
}
void answer_kernel_defines(const metal::Kernel*, Defines define) { define("SIZE", "3"); }
void answer_kernel_compile_args(const metal::Kernel*, Words words) { words({4, 5}); }
void answer_kernel_named_compile_args(const metal::Kernel*, NamedWords words) { words({{"pages", 6}}); }
std::vector<metal::CoreRange> answer_kernel_cores(const metal::Kernel*) { return {{{0, 0}, {0, 0}}}; }
PerCore& answer_kernel_runtime_args(metal::Kernel* kernel) { return kernels.at(kernel)->arguments; }
metal::RuntimeArgsData& answer_kernel_common_runtime_args(metal::Kernel* kernel) { return kernels.at(kernel)->none; }
std::uint32_t answer_buffer_address(const metal::Buffer* buffer) {
    return static_cast<std::uint32_t>(of(buffer).address);
}
std::uint64_t answer_buffer_size(const metal::Buffer* buffer) { return of(buffer).size; }
std::uint64_t answer_buffer_page_size(const metal::Buffer* buffer) { return of(buffer).page_size; }
std::uint64_t answer_buffer_id(const metal::Buffer* buffer) { return of(buffer).id; }
std::uint64_t answer_buffer_size_per_bank(const metal::Buffer* buffer) { return of(buffer).size; }
const metal::Buffer* answer_backing_buffer(const mesh::MeshBuffer* buffer) {
    auto reference = buffer->get_reference_buffer();
    return of(reference).has_memory ? reference : nullptr;
}
const mesh::ProgramMap& answer_programs(const mesh::MeshWorkload* workload) { return of(*workload).map; }
std::uint32_t answer_device_architecture(const mesh::MeshDevice*) { return 2; }
std::size_t answer_num_devices(const mesh::MeshDevice*) { return 1; }
std::vector<int> answer_device_ids(const mesh::MeshDevice*) { return {3}; }
// The third row of Tensix tiles.
std::vector<tt::CoreCoord> answer_harvested_cores(const tt::SocDescriptor*, std::uint32_t type, std::uint32_t system) {
    return {{1, 3, type, system}, {2, 3, type, system}};
}
std::uint8_t answer_device_queues(const mesh::MeshDevice*) { return 1; }

}  // namespace hallmark::recorder

void tt::tt_metal::slow_dispatch::WriteToBuffer(Buffer& buffer, std::span<const std::uint8_t> data) {
    memory.at(of(&buffer).address).assign(data.begin(), data.end());
}

// A stand-in for the vendor's library: its buffers are memory of the host, its programs do nothing, and it misbehaves when
// it is told to. The file `misbehaviour` beside the library says how, a line each: `PHASE HOW`. A phase is `open`, `write`
// (of a buffer of 4096 bytes), `launch` (of a program), `close` or `exit` (the end of the process).
#include "virtual_queue.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace {

// Whether bytes that are read come out otherwise.
bool flips = false;

void misbehave(const std::string& phase) {
    Dl_info own{};
    dladdr(reinterpret_cast<void*>(&misbehave), &own);
    std::string folder(own.dli_fname);
    std::ifstream file(folder.substr(0, folder.rfind('/')) + "/misbehaviour");
    std::string when, how;
    while (file >> when >> how) {
        if (when != phase) {
            continue;
        }
        if (how == "crashes") {
            *static_cast<volatile int*>(nullptr) = 0;
        } else if (how == "aborts") {
            fprintf(stderr, "TT_ASSERT @ device.cpp:12: is_open\ninfo:\nthe device is %s\n", "half open");
            abort();
        } else if (how == "prints") {
            printf("{\"contract\":1,\"report\":{}}\n[7] a line of the vendor's\n");
        } else if (how == "exits_with_0") {
            fprintf(stderr, "enough\n");
            exit(0);
        } else if (how == "exits_with_3") {
            fprintf(stderr, "no license\n");
            exit(3);
        } else if (how == "faults") {
            printf("[12] ERROR: DataRace: libttsim_clock: tile (1,1) BRISC at pc 0x9974: two stores\n");
            exit(1);
        } else if (how == "tells") {
            // As the print server does, if it runs.
            if (const char* file = getenv("TT_METAL_DPRINT_FILE")) {
                std::ofstream(file) << "0:3-5:BR: told\n0:4-1:TR2: for " << getenv("TT_METAL_DPRINT_CORES") << '\n';
            }
        } else if (how == "hangs") {
            fprintf(stderr, "waiting for the dispatcher\n");
            for (;;) {
                pause();
            }
        } else if (how == "compiles") {
            // Longer than any run may take, until two kernels are in the cache.
            const std::string cache = getenv("TT_METAL_CACHE");
            std::filesystem::create_directories(cache);
            int kernel = 0;
            while (std::filesystem::exists(cache + "/" + std::to_string(kernel) + ".elf")) {
                ++kernel;
            }
            if (kernel < 2) {
                std::ofstream(cache + "/" + std::to_string(kernel) + ".elf");
                sleep(600);
            }
        } else if (how == "flips") {
            flips = true;
        } else if (how == "throws") {
            throw std::runtime_error(
                "TT_FATAL @ device.cpp:34: size > 0\ninfo:\nThere is no room for " + phase + "\nbacktrace:\n --- main\n");
        }
    }
}

// Upstream has the address at this offset, and the interface reads it there.
struct HostBuffer {
    char before[offsets::MeshBuffer::address]{};
    std::uint64_t address = 0x20000;
    std::uint64_t page_size = 0;
    std::vector<char> bytes;
};
HostBuffer& of(const MeshBuffer& buffer) {
    return *reinterpret_cast<HostBuffer*>(const_cast<MeshBuffer*>(&buffer));
}
HostBuffer& of(const Buffer* buffer) { return *reinterpret_cast<HostBuffer*>(const_cast<Buffer*>(buffer)); }


}  // namespace

// By its table of virtual functions a library is compared with a description.
namespace tt::tt_metal::distributed {

class FDMeshCommandQueue : public VirtualQueue {
public:
    ~FDMeshCommandQueue() override = default;
    void slot_2() override {}
    void slot_3() override {}
    void enqueue_mesh_workload(MeshWorkload&, bool) override {}
    void enqueue_write_shard_to_sub_grid(
        const MeshBuffer& buffer,
        const void* data,
        const MeshCoordinateRange&,
        bool,
        std::optional<BufferRegion> region) override {
        memcpy(of(buffer).bytes.data() + region->offset, data, region->size);
    }
    void enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer, const void* data, bool) override {
        auto& target = of(*buffer);
        if (target.bytes.size() == 4096) {
            misbehave("write");
        }
        memcpy(target.bytes.data(), data, target.bytes.size());
    }
    void slot_7() override {}
    void slot_8() override {}
    void enqueue_read_mesh_buffer(void* data, const std::shared_ptr<MeshBuffer>& buffer, bool) override {
        const auto& source = of(*buffer).bytes;
        memcpy(data, source.data(), source.size());
        if (flips && source.size() > 68) {
            static_cast<unsigned char*>(data)[68] ^= 0x5A;
        }
    }
    void slot_10() override {}
    void slot_11() override {}
    MeshEvent enqueue_record_event(std::span<const SubDeviceId>, const std::optional<MeshCoordinateRange>&) override {
        return MeshEvent();
    }
    MeshEvent enqueue_record_event_to_host(
        std::span<const SubDeviceId>, const std::optional<MeshCoordinateRange>&) override {
        return MeshEvent();
    }
    void enqueue_wait_for_event(const MeshEvent&) override {}
    void finish(std::span<const SubDeviceId>) override {}
};

}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal {

CoreRangeSet::CoreRangeSet(std::span<const CoreRange> ranges) : ranges_(ranges.begin(), ranges.end()) {}
CoreRangeSet::CoreRangeSet(const CoreRangeSet&) = default;
CoreRangeSet::CoreRangeSet(CoreRangeSet&&) = default;
#if HALLMARK_BUFFER_IS_POINTER
BufferShardingArgs::BufferShardingArgs() : impl_(nullptr) {}
BufferShardingArgs::BufferShardingArgs(const BufferShardingArgs&) : impl_(nullptr) {}
BufferShardingArgs::BufferShardingArgs(std::optional<ShardSpecBuffer>, TensorMemoryLayout) : impl_(nullptr) {}
BufferShardingArgs& BufferShardingArgs::operator=(const BufferShardingArgs&) { return *this; }
BufferShardingArgs::~BufferShardingArgs() = default;
std::shared_ptr<Buffer> BufferImpl::view(Buffer& buffer, const BufferRegion&) {
    return std::shared_ptr<Buffer>(std::shared_ptr<Buffer>(), &buffer);
}
BufferImpl* Buffer::impl() { return reinterpret_cast<BufferImpl*>(this); }
#else
std::shared_ptr<Buffer> Buffer::view(const BufferRegion&) {
    return std::shared_ptr<Buffer>(std::shared_ptr<Buffer>(), this);
}
#endif
std::uint64_t Buffer::aligned_size_per_bank() const { return of(this).page_size; }
std::uint32_t CircularBufferImpl::address() const { return 0; }
namespace detail {
void ProgramImpl::allocate_circular_buffers(const IDevice*) {}
std::shared_ptr<CircularBufferImpl> ProgramImpl::get_circular_buffer(std::uintptr_t) const { return nullptr; }
void ProgramImpl::set_runtime_id(std::uint64_t) {}
}  // namespace detail
Program::Program() = default;
Program::Program(Program&&) = default;
Program::Program(std::shared_ptr<detail::ProgramImpl> impl) : impl_(std::move(impl)) {}
Program::~Program() = default;
Program CreateProgram() { return Program(); }
// As upstream keeps the list of the files that the compiler has read.
KernelHandle CreateKernel(
    Program&, const std::string& path, const CoreSpec&, const std::variant<DataMovementConfig, ComputeConfig>&) {
    auto name = std::filesystem::path(path).stem();
    auto folder = std::filesystem::path(getenv("TT_METAL_CACHE")) / "tt-metal-cache1/kernels" / name / "1/brisc";
    std::filesystem::create_directories(folder);
    std::ofstream list(folder / "brisck.o.dephash");
    for (auto header : {"api.h", "noc.h"}) {
        list << '"' << getenv("TT_METAL_RUNTIME_ROOT") << "/tt_metal/hw/inc/" << header << "\"\t123\n";
    }
    return 0;
}
void SetRuntimeArgs(const Program&, KernelHandle, const CoreSpec&, std::span<const std::uint32_t>) {}
RuntimeArgsData& GetCommonRuntimeArgs(const Program&, KernelHandle) {
    static RuntimeArgsData none{nullptr, 0};
    return none;
}
void SetCommonRuntimeArgs(const Program&, KernelHandle, std::span<const std::uint32_t>) {}
std::uint32_t CreateSemaphore(Program&, const std::variant<CoreRange, CoreRangeSet>&, std::uint32_t) { return 0; }
CircularBufferConfig::CircularBufferConfig(std::uint32_t, const std::map<std::uint8_t, DataFormat>&) {}
CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address(const Buffer&) { return *this; }
CircularBufferConfig& CircularBufferConfig::set_address_offset(std::uint32_t) { return *this; }
CircularBufferConfig& CircularBufferConfig::set_page_size(std::uint8_t, std::uint32_t) { return *this; }
CircularBufferConfig& CircularBufferConfig::set_tile_dims(std::uint8_t, const Tile&) { return *this; }
Tile::Tile(TileSides shape, TileSides face, bool transposes) {
#ifdef HALLMARK_ANOTHER_TILE
    std::swap(shape, face);
#endif
    const std::uint32_t sides[] = {shape[0], shape[1], face[0], face[1]};
    memcpy(numbers_, sides, sizeof sides);
    auto members = reinterpret_cast<char*>(numbers_);
    members[offsets::Tile::transposes_within_face] = members[offsets::Tile::transposes_faces] = transposes;
}
Tile::Tile(TileSides shape, bool transposes)
    : Tile(shape, {std::min(shape[0], 16u), std::min(shape[1], 16u)}, transposes) {}
CBHandle CreateCircularBuffer(Program&, const CoreSpec&, const CircularBufferConfig&) { return 0; }
void UpdateCircularBufferTotalSize(Program&, CBHandle, std::uint32_t) {}
void UpdateCircularBufferPageSize(Program&, CBHandle, std::uint8_t, std::uint32_t) {}
void UpdateDynamicCircularBufferAddress(Program&, CBHandle, const Buffer&, std::uint32_t) {}
void UpdateDynamicCircularBufferAddressAndTotalSize(Program&, CBHandle, const Buffer&, std::uint32_t) {}

}  // namespace tt::tt_metal

namespace tt::tt_metal::distributed {

std::shared_ptr<MeshBuffer> MeshBuffer::create(
    const std::variant<ReplicatedBufferConfig, ShardedBufferConfig>& config,
    const DeviceLocalBufferConfig& local,
    MeshDevice*,
    std::optional<std::uint64_t>) {
    auto made = std::make_shared<HostBuffer>();
    made->bytes.resize(std::get<ReplicatedBufferConfig>(config).size);
    made->page_size = local.page_size;
    return std::shared_ptr<MeshBuffer>(made, reinterpret_cast<MeshBuffer*>(made.get()));
}
Buffer* MeshBuffer::get_reference_buffer() const {
    return reinterpret_cast<Buffer*>(const_cast<MeshBuffer*>(this));
}
std::uint64_t MeshBuffer::size() const { return of(*this).bytes.size(); }
MeshCoordinate::MeshCoordinate(std::uint32_t, std::uint32_t) {}
MeshCoordinateRange::MeshCoordinateRange(const MeshCoordinate&, const MeshCoordinate&) {}
#if HALLMARK_MESH_EVENT_IS_POINTER
MeshEvent::~MeshEvent() = default;
#endif
void EventSynchronize(const MeshEvent&) {}
bool EventQuery(const MeshEvent&) { return true; }
MeshTraceId BeginTraceCapture(MeshDevice*, std::uint8_t) { return MeshTraceId(0); }
MeshWorkload::MeshWorkload() = default;
MeshWorkload::~MeshWorkload() = default;
void MeshWorkload::add_program(const MeshCoordinateRange&, Program&&) {}
void EnqueueMeshWorkload(MeshCommandQueue&, MeshWorkload&, bool) { misbehave("launch"); }

std::shared_ptr<MeshDevice> MeshDevice::create_unit_mesh(
    int,
    std::size_t,
    std::size_t,
    std::size_t,
    const DispatchCoreConfig&,
    std::span<const std::uint32_t>,
    std::size_t) {
    static char device;
    misbehave("open");
    atexit([] { misbehave("exit"); });
    return std::shared_ptr<MeshDevice>(std::shared_ptr<MeshDevice>(), reinterpret_cast<MeshDevice*>(&device));
}
MeshCommandQueue& MeshDevice::mesh_command_queue(std::optional<std::uint8_t>) const {
    static FDMeshCommandQueue queue;
    return reinterpret_cast<MeshCommandQueue&>(queue);
}
xy_pair MeshDevice::compute_with_storage_grid_size() const { return {8, 9}; }
xy_pair MeshDevice::worker_core_from_logical_core(const xy_pair& core) const { return core; }
bool MeshDevice::close() {
    misbehave("close");
    return true;
}
void MeshDevice::end_mesh_trace(std::uint8_t, const MeshTraceId&) {}
void MeshDevice::replay_mesh_trace(std::uint8_t, const MeshTraceId&, bool) {}
void MeshDevice::release_mesh_trace(const MeshTraceId&) {}

}  // namespace tt::tt_metal::distributed

// The part of TT-Metalium's host ABI that carrying out a capture needs, as `libtt_metal.so` of the ttnn wheel exports
// it. The wheel has no host headers: these declarations are our own, made from the library's symbol table, the order of
// its virtual functions and the offsets in its code. The numbers of a release come from its description by
// `release.hpp`. Types whose inside does not matter have storage of ample size and the alignment of the largest scalar.
// Whoever loads this checks the release first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "differences.hpp"
#include "objects.hpp"

namespace tt {

struct xy_pair {
    std::size_t x, y;
};

// Its numbers are in the release's description.
enum class DataFormat : std::uint8_t {};

}  // namespace tt

namespace ttsl {

template <typename T, typename Tag>
class StrongType {
public:
    StrongType() = default;
    explicit StrongType(T value) : value_(value) {}

private:
    T value_;
};

}  // namespace ttsl

namespace tt::tt_metal {

enum class BufferType : int {
    DRAM = numbers::BufferType::DRAM,
    L1 = numbers::BufferType::L1,
    L1_SMALL = numbers::BufferType::L1_SMALL,
};
enum class TensorMemoryLayout : int {
    INTERLEAVED = numbers::TensorMemoryLayout::INTERLEAVED,
    HEIGHT_SHARDED = numbers::TensorMemoryLayout::HEIGHT_SHARDED,
    WIDTH_SHARDED = numbers::TensorMemoryLayout::WIDTH_SHARDED,
    BLOCK_SHARDED = numbers::TensorMemoryLayout::BLOCK_SHARDED,
};

struct CoreRange {
    xy_pair start, end;
};

class CoreRangeSet {
public:
    CoreRangeSet(std::span<const CoreRange>);
    CoreRangeSet(const CoreRangeSet&);
    CoreRangeSet(CoreRangeSet&&);
    CoreRangeSet& operator=(CoreRangeSet&&) = default;
    ~CoreRangeSet() = default;

private:
    std::vector<CoreRange> ranges_;
};
using CoreSpec = std::variant<xy_pair, CoreRange, CoreRangeSet>;

struct DispatchCoreConfig {
    std::uint32_t type = 0;
    std::optional<std::uint32_t> axis;
};
struct SubDeviceIdTag;
using SubDeviceId = ttsl::StrongType<unsigned char, SubDeviceIdTag>;

enum class ShardOrientation { ROW_MAJOR, COL_MAJOR };
struct ShardSpec {
    CoreRangeSet grid;
    std::uint32_t shape[2];
    ShardOrientation orientation;
};
static_assert(sizeof(ShardSpec) == sizes::ShardSpec);

struct ShardSpecBuffer {
    ShardSpec shard;
    std::uint32_t page_shape[2];
    std::uint32_t tensor_shape_in_pages[2];
};
static_assert(offsetof(ShardSpecBuffer, page_shape) == offsets::ShardSpecBuffer::page_shape);

#if HALLMARK_BUFFER_IS_POINTER
class BufferShardingArgs {
public:
    BufferShardingArgs();
    BufferShardingArgs(const BufferShardingArgs&);
    BufferShardingArgs(std::optional<ShardSpecBuffer>, TensorMemoryLayout);
    BufferShardingArgs& operator=(const BufferShardingArgs&);
    ~BufferShardingArgs();

private:
    void* impl_;
};
#else
using BufferShardingArgs = ShardingMembers<ShardSpecBuffer, TensorMemoryLayout>;
static_assert(sizeof(BufferShardingArgs) == sizes::BufferShardingArgs);
#endif

struct BufferRegion {
    std::uint64_t offset, size;
};

class Buffer;
class BufferImpl {
public:
    std::shared_ptr<Buffer> view(Buffer&, const BufferRegion&);
};
// Only upstream makes one, so that its members need not be known.
class Buffer {
public:
    Buffer() = delete;
    Buffer(const Buffer&) = delete;
    BufferImpl* impl();
    std::shared_ptr<Buffer> view(const BufferRegion&);
    // Bytes that it takes in each bank, at the same address.
    std::uint64_t aligned_size_per_bank() const;
};

class IDevice;
class CircularBufferImpl {
public:
    std::uint32_t address() const;
};
namespace detail {
class ProgramImpl {
public:
    // Does nothing if every circular buffer has its address.
    void allocate_circular_buffers(const IDevice*);
    std::shared_ptr<CircularBufferImpl> get_circular_buffer(std::uintptr_t handle) const;
    // The number that messages of its launches hold.
    // Only releases whose messages are described need it.
    [[gnu::weak]] void set_runtime_id(std::uint64_t);
};
}  // namespace detail
class Program {
public:
    Program();
    Program(Program&&);
    explicit Program(std::shared_ptr<detail::ProgramImpl>);
    ~Program();
    // A second handle on the program: a workload takes one for itself.
    Program share() const { return Program(impl_); }
    detail::ProgramImpl& impl() const { return *impl_; }

private:
    std::shared_ptr<detail::ProgramImpl> impl_;
};
Program CreateProgram();

enum class DataMovementProcessor { RISCV_0 = 0, RISCV_1 = 1 };
enum NOC : std::uint8_t { NOC_0 = 0, NOC_1 = 1 };
enum NOC_MODE : std::uint8_t { DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1 };
enum class KernelBuildOptLevel : std::uint8_t {
    O2 = numbers::KernelBuildOptLevel::O2,
    O3 = numbers::KernelBuildOptLevel::O3,
};
struct DataMovementConfig {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC_0;
    NOC_MODE noc_mode = DM_DEDICATED_NOC;
    std::vector<std::uint32_t> compile_args;
    std::map<std::string, std::string> defines;
    std::unordered_map<std::string, std::uint32_t> named_compile_args;
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::O2;
    std::vector<std::filesystem::path> compiler_include_paths;
};
static_assert(sizeof(DataMovementConfig) == sizes::DataMovementConfig);

enum class MathFidelity : std::uint8_t { HiFi4 = numbers::MathFidelity::HiFi4 };
struct ComputeConfig {
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false;
    bool dst_full_sync_en = false;
    std::vector<std::uint8_t> unpack_to_dest_mode;
    bool bfp8_pack_precise = false;
    bool math_approx_mode = false;
    std::vector<std::uint32_t> compile_args;
    std::map<std::string, std::string> defines;
    std::unordered_map<std::string, std::uint32_t> named_compile_args;
    KernelBuildOptLevel opt_level = KernelBuildOptLevel::O3;
    std::vector<std::filesystem::path> compiler_include_paths;
};
static_assert(sizeof(ComputeConfig) == sizes::ComputeConfig);

using KernelHandle = std::uint32_t;
KernelHandle CreateKernel(
    Program&, const std::string&, const CoreSpec&, const std::variant<DataMovementConfig, ComputeConfig>&);
void SetRuntimeArgs(const Program&, KernelHandle, const CoreSpec&, std::span<const std::uint32_t>);
struct RuntimeArgsData {
    std::uint32_t* data;
    std::size_t count;
};
RuntimeArgsData& GetCommonRuntimeArgs(const Program&, KernelHandle);
void SetCommonRuntimeArgs(const Program&, KernelHandle, std::span<const std::uint32_t>);
std::uint32_t CreateSemaphore(Program&, const std::variant<CoreRange, CoreRangeSet>&, std::uint32_t);

class CircularBufferConfig : Opaque<16384> {
public:
    CircularBufferConfig(std::uint32_t total_size, const std::map<std::uint8_t, DataFormat>&);
    CircularBufferConfig& set_globally_allocated_address(const Buffer&);
    CircularBufferConfig& set_address_offset(std::uint32_t);
    CircularBufferConfig& set_page_size(std::uint8_t, std::uint32_t);
    CircularBufferConfig& set_tile_dims(std::uint8_t, const Tile&);
};
using CBHandle = std::uintptr_t;
CBHandle CreateCircularBuffer(Program&, const CoreSpec&, const CircularBufferConfig&);
void UpdateCircularBufferTotalSize(Program&, CBHandle, std::uint32_t);
void UpdateCircularBufferPageSize(Program&, CBHandle, std::uint8_t, std::uint32_t);
void UpdateDynamicCircularBufferAddress(Program&, CBHandle, const Buffer&, std::uint32_t);
void UpdateDynamicCircularBufferAddressAndTotalSize(Program&, CBHandle, const Buffer&, std::uint32_t);

}  // namespace tt::tt_metal

namespace tt::tt_metal::distributed {

class MeshDevice;
class MeshWorkload;
struct MeshTraceIdTag;
using MeshTraceId = ttsl::StrongType<unsigned int, MeshTraceIdTag>;

struct ReplicatedBufferConfig {
    std::uint64_t size = 0;
};
struct ShardedBufferConfig {
    std::uint64_t size = 0;
    std::size_t shapes[4]{};
    std::uint32_t orientation = 0;
};
struct DeviceLocalBufferConfig {
    std::uint64_t page_size = 0;
    BufferType buffer_type = BufferType::DRAM;
    BufferShardingArgs sharding_args;
    std::optional<bool> bottom_up;
    std::optional<std::uint8_t> sub_device_id;
};
class MeshBuffer {
public:
    static std::shared_ptr<MeshBuffer> create(
        const std::variant<ReplicatedBufferConfig, ShardedBufferConfig>&,
        const DeviceLocalBufferConfig&,
        MeshDevice*,
        std::optional<std::uint64_t>);
    Buffer* get_reference_buffer() const;
    std::uint64_t size() const;
    // Inline upstream.
    std::uint64_t address() const {
        return hallmark::member_at<std::uint64_t>(*this, offsets::MeshBuffer::address);
    }
};

class MeshCoordinate : Opaque<128> {
public:
    MeshCoordinate(std::uint32_t, std::uint32_t);
};
// Its size matters: an optional one says behind it whether it holds a value.
class MeshCoordinateRange : Opaque<sizes::MeshCoordinateRange> {
public:
    MeshCoordinateRange(const MeshCoordinate&, const MeshCoordinate&);
};
static_assert(sizeof(MeshCoordinateRange) == sizes::MeshCoordinateRange);
void EventSynchronize(const MeshEvent&);
bool EventQuery(const MeshEvent&);
MeshTraceId BeginTraceCapture(MeshDevice*, std::uint8_t);

class MeshWorkload : Opaque<128> {
public:
    MeshWorkload();
    ~MeshWorkload();
    void add_program(const MeshCoordinateRange&, Program&&);
};

// Its functions are virtual upstream. Only upstream makes one.
class MeshCommandQueue {
public:
    MeshCommandQueue(const MeshCommandQueue&) = delete;
    void enqueue_mesh_workload(MeshWorkload& workload, bool blocking) {
        call<void, MeshWorkload&, bool>(slots::MeshCommandQueue::enqueue_mesh_workload, workload, blocking);
    }
    void enqueue_write_shard_to_sub_grid(
        const MeshBuffer& buffer,
        const void* data,
        const MeshCoordinateRange& devices,
        bool blocking,
        std::optional<BufferRegion> region) {
        call<void, const MeshBuffer&, const void*, const MeshCoordinateRange&, bool, std::optional<BufferRegion>>(
            slots::MeshCommandQueue::enqueue_write_shard_to_sub_grid, buffer, data, devices, blocking, region);
    }
    void enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer, const void* data, bool blocking) {
        call<void, const std::shared_ptr<MeshBuffer>&, const void*, bool>(
            slots::MeshCommandQueue::enqueue_write_mesh_buffer, buffer, data, blocking);
    }
    void enqueue_read_mesh_buffer(void* data, const std::shared_ptr<MeshBuffer>& buffer, bool blocking) {
        call<void, void*, const std::shared_ptr<MeshBuffer>&, bool>(
            slots::MeshCommandQueue::enqueue_read_mesh_buffer, data, buffer, blocking);
    }
    MeshEvent enqueue_record_event(
        std::span<const SubDeviceId> sub_devices, const std::optional<MeshCoordinateRange>& devices) {
        return call<MeshEvent, std::span<const SubDeviceId>, const std::optional<MeshCoordinateRange>&>(
            slots::MeshCommandQueue::enqueue_record_event, sub_devices, devices);
    }
    MeshEvent enqueue_record_event_to_host(
        std::span<const SubDeviceId> sub_devices, const std::optional<MeshCoordinateRange>& devices) {
        return call<MeshEvent, std::span<const SubDeviceId>, const std::optional<MeshCoordinateRange>&>(
            slots::MeshCommandQueue::enqueue_record_event_to_host, sub_devices, devices);
    }
    void enqueue_wait_for_event(const MeshEvent& event) {
        call<void, const MeshEvent&>(slots::MeshCommandQueue::enqueue_wait_for_event, event);
    }
    void finish(std::span<const SubDeviceId> sub_devices) {
        call<void, std::span<const SubDeviceId>>(slots::MeshCommandQueue::finish, sub_devices);
    }

private:
    // A function of a class passes its object first, and the place of a result that is an object before that.
    template <typename Result, typename... Arguments>
    Result call(std::size_t slot, Arguments... arguments) {
        using Function = Result(MeshCommandQueue*, Arguments...);
        return hallmark::virtual_function<Function>(*this, slot)(this, std::forward<Arguments>(arguments)...);
    }
};
void EnqueueMeshWorkload(MeshCommandQueue&, MeshWorkload&, bool);

class MeshDevice {
public:
    static std::shared_ptr<MeshDevice> create_unit_mesh(
        int,
        std::size_t l1_small_size,
        std::size_t trace_region_size,
        std::size_t num_command_queues,
        const DispatchCoreConfig&,
        std::span<const std::uint32_t> l1_bank_remap,
        std::size_t worker_l1_size);
    MeshCommandQueue& mesh_command_queue(std::optional<std::uint8_t>) const;
    xy_pair compute_with_storage_grid_size() const;
    xy_pair worker_core_from_logical_core(const xy_pair&) const;
    bool close();
    void end_mesh_trace(std::uint8_t, const MeshTraceId&);
    void replay_mesh_trace(std::uint8_t, const MeshTraceId&, bool);
    void release_mesh_trace(const MeshTraceId&);
};

}  // namespace tt::tt_metal::distributed

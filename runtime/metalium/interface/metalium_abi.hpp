// The part of TT-Metalium's host ABI that carrying out a capture needs, as `libtt_metal.so` of the ttnn wheel
// 0.81.1 exports it. The wheel has no host headers: these declarations are our own, made from the library's symbol
// table, the order of its virtual functions and the offsets in its code. Of types whose inside does not matter they
// give storage of ample size and the alignment of the largest scalar. Whoever loads this checks the release first.
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
#include <variant>
#include <vector>

namespace tt {

struct xy_pair {
    std::size_t x, y;
};

// Its numbers are in src/calls/numbers.rs.
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

template <std::size_t Bytes>
struct alignas(16) Opaque {
    unsigned char bytes[Bytes]{};
};

enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
enum class TensorMemoryLayout { INTERLEAVED = 0, HEIGHT_SHARDED = 2, WIDTH_SHARDED = 3, BLOCK_SHARDED = 4 };

struct CoreRange {
    xy_pair start, end;
};

class CoreRangeSet {
public:
    CoreRangeSet(std::span<const CoreRange>);
    CoreRangeSet(const CoreRangeSet&);
    CoreRangeSet(CoreRangeSet&&);
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
static_assert(sizeof(ShardSpec) == 40);

// `ShardSpecBuffer::shape_in_pages` reads 0x18, 0x1c, 0x28 and 0x2c.
struct ShardSpecBuffer {
    ShardSpec shard;
    std::uint32_t page_shape[2];
    std::uint32_t tensor_shape_in_pages[2];
};
static_assert(offsetof(ShardSpecBuffer, page_shape) == 0x28);

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
enum class KernelBuildOptLevel : std::uint8_t { O1, O2, O3, O0, Os, Ofast, Oz };
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
static_assert(sizeof(DataMovementConfig) == 168);

enum class MathFidelity : std::uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
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
static_assert(sizeof(ComputeConfig) == 200);  // `CreateKernel` reads the variant's index at 0xc8

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

// Only upstream fills one in.
class Tile {
public:
    Tile(std::array<std::uint32_t, 2> shape, std::array<std::uint32_t, 2> face_shape, bool transpose);

private:
    std::uint32_t numbers_[10]{};
};
static_assert(sizeof(Tile) == 0x28);  // `CircularBufferConfig::set_tile_dims` copies so much

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
    // Inline upstream: it stands behind both configurations and the weak pointer to the device.
    std::uint64_t address() const {
        return *reinterpret_cast<const std::uint64_t*>(reinterpret_cast<const char*>(this) + 104);
    }
};

class MeshCoordinate : Opaque<128> {
public:
    MeshCoordinate(std::uint32_t, std::uint32_t);
};
// Its size matters: an optional one says at offset 0xf0 whether it holds a value.
class MeshCoordinateRange : Opaque<240> {
public:
    MeshCoordinateRange(const MeshCoordinate&, const MeshCoordinate&);
};
static_assert(sizeof(MeshCoordinateRange) == 0xf0);
class MeshEvent : Opaque<256> {
public:
    MeshEvent(const MeshEvent&);
    MeshEvent(MeshEvent&&);
    ~MeshEvent();
};
void EventSynchronize(const MeshEvent&);
bool EventQuery(const MeshEvent&);
MeshTraceId BeginTraceCapture(MeshDevice*, std::uint8_t);

class MeshWorkload : Opaque<128> {
public:
    MeshWorkload();
    ~MeshWorkload();
    void add_program(const MeshCoordinateRange&, Program&&);
};

// The order of the virtual functions is that of the vtable; its slots 0 and 1 are the destructor.
class MeshCommandQueue {
public:
    virtual ~MeshCommandQueue() = 0;
    virtual void slot_2() = 0;
    virtual void slot_3() = 0;
    virtual void enqueue_mesh_workload(MeshWorkload&, bool blocking) = 0;
    virtual void enqueue_write_shard_to_sub_grid(
        const MeshBuffer&, const void*, const MeshCoordinateRange&, bool, std::optional<BufferRegion>) = 0;
    virtual void enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>&, const void*, bool) = 0;
    virtual void slot_7() = 0;
    virtual void slot_8() = 0;
    virtual void enqueue_read_mesh_buffer(void*, const std::shared_ptr<MeshBuffer>&, bool) = 0;
    virtual void slot_10() = 0;
    virtual void slot_11() = 0;
    virtual MeshEvent enqueue_record_event(
        std::span<const SubDeviceId>, const std::optional<MeshCoordinateRange>&) = 0;
    virtual MeshEvent enqueue_record_event_to_host(
        std::span<const SubDeviceId>, const std::optional<MeshCoordinateRange>&) = 0;
    virtual void enqueue_wait_for_event(const MeshEvent&) = 0;
    virtual void finish(std::span<const SubDeviceId>) = 0;
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

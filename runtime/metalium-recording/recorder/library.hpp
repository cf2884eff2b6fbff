// What the recorder asks of the vendor's library.
//
// The library is in the process already, out of sight of a preloaded one (Python loads it with RTLD_LOCAL): its functions
// are looked up in it. Where it has no function, members are read; they lie where the description of the release has
// them, in a library of the build id that the recorder was built for. What is called here may throw.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "metalium_abi.hpp"

namespace tt::tt_metal {

// `kernel_source.hpp` of upstream; the path is a `std::filesystem::path`, which begins with its text.
struct KernelSource {
    std::string source;
    std::uint32_t type;
    std::string path;
};
constexpr std::uint32_t kSourceIsFile = 0;

// `process_scratchpad_binding_handles` and `allocate_scratchpads` read it so.
struct ScratchpadBinding {
    std::string name;
    std::uint32_t size;
    std::uint32_t argument;  // the index of the common argument that holds the address
    unsigned char unknown_40[sizes::ScratchpadBinding - 40];
};
static_assert(sizeof(ScratchpadBinding) == sizes::ScratchpadBinding);

class Kernel {
public:
    const KernelSource& source() const {
        return hallmark::member_at<KernelSource>(*this, offsets::Kernel::source);
    }
    const std::vector<ScratchpadBinding>& scratchpads() const {
        return hallmark::member_at<std::vector<ScratchpadBinding>>(*this, offsets::Kernel::scratchpads);
    }
    // It is virtual upstream.
    bool is_metal2() const {
        return hallmark::virtual_function<bool(const Kernel*)>(*this, slots::Kernel::is_metal2)(this);
    }
    // Only of a kernel of the configuration's own class.
    template <typename Configuration>
    const Configuration& configuration() const {
        return hallmark::member_at<Configuration>(*this, offsets::Kernel::configuration);
    }
    // The mangled name of its class.
    const char* class_name() const;
};

class DataflowBufferImpl {
public:
    std::uint32_t id() const { return at<std::uint32_t>(offsets::DataflowBufferImpl::id); }
    std::uint32_t index() const { return at<std::uint32_t>(offsets::DataflowBufferImpl::index); }
    const std::vector<CoreRange>& cores() const {
        return at<std::vector<CoreRange>>(offsets::DataflowBufferImpl::cores);
    }
    std::uint32_t entry_size() const { return at<std::uint32_t>(offsets::DataflowBufferImpl::entry_size); }
    std::uint32_t entries() const { return at<std::uint32_t>(offsets::DataflowBufferImpl::entries); }
    std::uint8_t data_format() const { return at<std::uint8_t>(offsets::DataflowBufferImpl::data_format); }
    // It lies in a buffer of the program's caller, at `borrowed_address` of each core.
    bool borrows_memory() const { return at<bool>(offsets::DataflowBufferImpl::borrows_memory); }
    std::uint32_t borrowed_address() const {
        return at<std::uint32_t>(offsets::DataflowBufferImpl::borrowed_address);
    }

private:
    template <typename Member>
    const Member& at(std::size_t offset) const {
        return hallmark::member_at<Member>(*this, offset);
    }
};

struct Semaphore {
    std::vector<CoreRange> cores;
    std::uint32_t id;
    std::uint32_t initial_value;
    std::uint32_t core_type;
};
static_assert(sizeof(Semaphore) == sizes::Semaphore);

// What a `Tile` holds.
struct TileMembers {
    std::uint32_t height, width;
    std::uint32_t face_height, face_width;
    std::uint32_t unknown_16[5];
    // Faces, and elements within faces: upstream's constructor has one argument for both.
    bool transposes_within_face, transposes_faces;
};
static_assert(offsetof(TileMembers, transposes_within_face) == offsets::Tile::transposes_within_face);
static_assert(offsetof(TileMembers, transposes_faces) == offsets::Tile::transposes_faces);
// An optional one says behind it whether it holds a value; `CircularBufferImpl::tile` counts in steps of 0x2c.
static_assert(sizeof(TileMembers) == sizes::Tile && sizeof(std::optional<TileMembers>) == sizes::Tile + 4);

// A set of core ranges holds nothing else.
inline const std::vector<CoreRange>& ranges(const CoreRangeSet& set) {
    return reinterpret_cast<const std::vector<CoreRange>&>(set);
}
static_assert(sizeof(CoreRangeSet) == sizeof(std::vector<CoreRange>));

class MetalContext;
// The one that a process has unless it makes others.
constexpr int kDefaultContext = 0;

struct CircularBuffer {
    const CircularBufferImpl* impl;
};

}  // namespace tt::tt_metal

namespace tt {

namespace metal_sizes = hallmark::release::sizes;

class Cluster;
class SocDescriptor;

// Of tt-umd.
struct CoreCoord {
    std::size_t x, y;
    std::uint32_t core_type, coordinates;
};
static_assert(sizeof(CoreCoord) == metal_sizes::CoreCoord);
constexpr std::uint32_t kTensix = 5;
constexpr std::uint32_t kNoc0 = 1;

}  // namespace tt

namespace tt::tt_metal::distributed {

// Behind `MeshEvent::impl`, or the members of a `MeshEvent` itself.
struct MeshEventImpl {
    std::uint32_t number;
    MeshDevice* device;
    std::uint32_t queue;
};
static_assert(offsetof(MeshEventImpl, queue) == offsets::MeshEventImpl::queue);

struct MeshCommandQueueMembers {
    void* table;
    MeshDevice* device;
    std::uint32_t queue;
};
static_assert(offsetof(MeshCommandQueueMembers, device) == offsets::MeshCommandQueue::device);
static_assert(offsetof(MeshCommandQueueMembers, queue) == offsets::MeshCommandQueue::queue);

// A node of the map from ranges of devices to programs.
struct ProgramNode {
    const ProgramNode* next;
    unsigned char range[sizeof(MeshCoordinateRange)];
    const detail::ProgramImpl* program;
};
struct ProgramMap {
    void* buckets;
    std::size_t bucket_count;
    const ProgramNode* first;
};

}  // namespace tt::tt_metal::distributed

namespace hallmark::recorder {

namespace metal = tt::tt_metal;
namespace mesh = tt::tt_metal::distributed;

using Defines = std::function<void(const std::string&, const std::string&)>;
using Words = std::function<void(const std::vector<std::uint32_t>&)>;
using NamedWords = std::function<void(const std::unordered_map<std::string, std::uint32_t>&)>;
// Of the maps that it is called with, only the sizes matter, which do not depend on what they hold.
using Names = std::function<void(const std::map<std::string, std::vector<std::uint32_t>>&)>;
using PerCore = std::vector<std::vector<metal::RuntimeArgsData>>;

struct Library {
#define FUNCTION(name, type) std::add_pointer_t<type> name;
#include "functions.def"
#undef FUNCTION
    // False if a function is missing.
    bool bind(void* handle);
};

// Bound before the first event is recorded.
extern Library library;

}  // namespace hallmark::recorder

// What the recorder asks of the vendor's library.
//
// The library is in the process already, out of sight of a preloaded one (Python loads it with RTLD_LOCAL): its functions
// are looked up in it. Where it has no function, members are read; they lie where release 0.81.1 has them, in a library
// of the build id that the recorder was built for. What is called here may throw.
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
    unsigned char unknown_40[56];
};
static_assert(sizeof(ScratchpadBinding) == 0x60);

class Kernel {
public:
    const KernelSource& source() const { return at<KernelSource>(0x78); }
    const std::vector<ScratchpadBinding>& scratchpads() const {
        return at<std::vector<ScratchpadBinding>>(0x220);
    }
    // Slot 21 of the table of virtual functions.
    bool is_metal2() const {
        auto table = *reinterpret_cast<bool (* const* const*)(const Kernel*)>(this);
        return table[21](this);
    }
    // Only of a kernel of the configuration's own class.
    template <typename Configuration>
    const Configuration& configuration() const {
        return at<Configuration>(0x400);
    }
    // The mangled name of its class.
    const char* class_name() const;

private:
    template <typename Member>
    const Member& at(std::size_t offset) const {
        return *reinterpret_cast<const Member*>(reinterpret_cast<const char*>(this) + offset);
    }
};

struct DataflowBufferImpl {
    std::uint32_t id;
    std::uint32_t unknown_4;
    std::uint32_t index;
    std::uint32_t unknown_12;
    std::vector<CoreRange> cores;
    std::uint32_t entry_size;
    std::uint32_t entries;
    unsigned char unknown_48[18];
    std::uint8_t data_format;
    unsigned char unknown_67[47];
    // It lies in a buffer of the program's caller, at `borrowed_address` of each core.
    bool borrows_memory;
    unsigned char unknown_115[117];
    std::uint32_t borrowed_address;
};
static_assert(offsetof(DataflowBufferImpl, cores) == 16);
static_assert(offsetof(DataflowBufferImpl, entry_size) == 40);
static_assert(offsetof(DataflowBufferImpl, data_format) == 66);
static_assert(offsetof(DataflowBufferImpl, borrows_memory) == 114);
static_assert(offsetof(DataflowBufferImpl, borrowed_address) == 232);

struct Semaphore {
    std::vector<CoreRange> cores;
    std::uint32_t id;
    std::uint32_t initial_value;
    std::uint32_t core_type;
};
static_assert(sizeof(Semaphore) == 40);

// What a `Tile` holds.
struct TileMembers {
    std::uint32_t height, width;
    std::uint32_t face_height, face_width;
    std::uint32_t unknown_16[5];
    // Faces, and elements within faces: upstream's constructor has one argument for both.
    bool transposes_within_face, transposes_faces;
};
static_assert(offsetof(TileMembers, transposes_within_face) == 36);
// An optional one says behind it whether it holds a value; `CircularBufferImpl::tile` counts in steps of 0x2c.
static_assert(sizeof(TileMembers) == sizeof(Tile) && sizeof(std::optional<TileMembers>) == 0x2c);

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

class Cluster;
class SocDescriptor;

// Of tt-umd.
struct CoreCoord {
    std::size_t x, y;
    std::uint32_t core_type, coordinates;
};
static_assert(sizeof(CoreCoord) == 24);
constexpr std::uint32_t kTensix = 5;
constexpr std::uint32_t kNoc0 = 1;

}  // namespace tt

namespace tt::tt_metal::distributed {

struct MeshEventImpl {
    std::uint32_t number;
    MeshDevice* device;
    std::uint32_t queue;
};
static_assert(offsetof(MeshEventImpl, queue) == 0x10);

// The constructors of `MeshEvent` read both.
struct MeshCommandQueueMembers {
    void* table;
    MeshDevice* device;
    std::uint32_t queue;
};

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
#define FUNCTION(name, type, symbol) std::add_pointer_t<type> name;
#define FUNCTION_BESIDE(name, type, symbol) std::add_pointer_t<type> name;
#include "functions.def"
#undef FUNCTION_BESIDE
#undef FUNCTION
    // False if a function is missing.
    bool bind(void* handle);
};

// Bound before the first event is recorded.
extern Library library;

}  // namespace hallmark::recorder

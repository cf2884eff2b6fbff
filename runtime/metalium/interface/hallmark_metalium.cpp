// TT-Metalium's host API behind a C interface: one function a call, objects by the ids of a capture.
//
// Each function gives 0, or 1 after an exception, whose text `hallmark_metalium_error` gives then. The caller makes
// sure that ids exist and that lengths hold: it is the Rust side of this interface and checks all of that first.
#include "metalium_abi.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <set>
#include <stdexcept>

using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace {

// Upstream places scratchpads beside dataflow buffers, and over circular buffers. So a scratchpad becomes a circular
// buffer, as the dataflow buffers of a recording do.
struct ScratchpadOfCapture {
    std::uint32_t kernel;
    std::uint32_t argument;
    std::uint32_t size;
    std::optional<CBHandle> circular_buffer;
};

struct ProgramOfCapture {
    Program program;
    std::vector<ScratchpadOfCapture> scratchpads{};
    std::set<std::uint32_t> circular_buffer_indices{};
    // Made at the first enqueue; from then on upstream keeps the program's binaries on the device with it.
    std::unique_ptr<MeshWorkload> workload{};
};

struct KernelOfCapture {
    std::uint32_t program;
    KernelHandle handle;
    std::vector<CoreRange> cores;
};

struct CircularBufferOfCapture {
    std::uint32_t program;
    CBHandle handle;
};

}  // namespace

// The fields' order and types are repeated in src/interface.rs.
extern "C" {

struct HallmarkRange {
    std::uint32_t start_x, start_y, end_x, end_y;
};
struct HallmarkRanges {
    const HallmarkRange* data;
    std::size_t count;
};
struct HallmarkWords {
    const std::uint32_t* data;
    std::size_t count;
};
struct HallmarkSharding {
    HallmarkRanges cores;
    std::uint32_t shape[2], page_shape[2], tensor_shape_in_pages[2];
    std::uint32_t is_column_major;
};
struct HallmarkBuffer {
    std::uint64_t size, page_size;
    std::uint32_t buffer_type;  // a BufferType
    std::int32_t bottom_up;  // -1 where the program leaves it open
    std::uint32_t layout;    // a TensorMemoryLayout
};
struct HallmarkMadeBuffer {
    std::uint64_t address, size_per_bank;
};
struct HallmarkDefine {
    const char* name;
    const char* value;
};
struct HallmarkNamedCompileArg {
    const char* name;
    std::uint32_t value;
};
struct HallmarkKernel {
    const char* path;
    HallmarkRanges cores;
    std::uint32_t is_compute;
    std::uint32_t processor, noc;                                        // of data movement
    std::uint32_t math_fidelity, fp32_dest_acc_en, math_approx_mode;     // of compute
    std::uint32_t noc_mode;                                              // of data movement
    std::uint32_t dst_full_sync_en, bfp8_pack_precise;                   // of compute
    std::int32_t opt_level;                                              // a KernelBuildOptLevel, or -1
    const std::uint8_t* unpack_to_dest_mode;                             // of compute, for each circular buffer
    std::size_t unpack_to_dest_mode_count;
    HallmarkWords compile_args;
    const HallmarkDefine* defines;
    std::size_t define_count;
    const HallmarkNamedCompileArg* named_compile_args;
    std::size_t named_compile_arg_count;
    const char* include_path;  // empty where there is none
};
struct HallmarkScratchpad {
    std::uint32_t argument, size;
};
struct HallmarkScratchpads {
    const HallmarkScratchpad* data;
    std::size_t count;
};
struct HallmarkCircularBufferIndex {
    std::uint32_t index, page_size, data_format;
    std::uint32_t has_tile;
    std::uint32_t tile[4];  // height and width, then those of a face
    std::uint32_t transposes_tile;
};
struct HallmarkOpening {
    std::uint64_t trace_region_size, l1_small_size, worker_l1_size;
    std::uint32_t queues;
};
struct HallmarkCircularBuffer {
    HallmarkRanges cores;
    std::uint32_t total_size;
    const HallmarkCircularBufferIndex* indices;
    std::size_t index_count;
    std::int64_t buffer;  // -1 where it has memory of its own
    std::uint32_t address_offset;
};

}  // extern "C"

namespace {

std::vector<CoreRange> ranges_of(HallmarkRanges given) {
    std::vector<CoreRange> ranges;
    for (std::size_t at = 0; at < given.count; at++) {
        const auto& range = given.data[at];
        ranges.push_back({{range.start_x, range.start_y}, {range.end_x, range.end_y}});
    }
    return ranges;
}

CoreRangeSet cores_of(HallmarkRanges given) {
    return CoreRangeSet(std::span<const CoreRange>(ranges_of(given)));
}

using Annotate = void (*)(std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, std::uint32_t);
using StateProgram = void (*)(const char*, std::size_t);
using WriteWaits = void (*)();

// A function of the simulator's library, if it has that: upstream loads the library, or a copy, by itself.
template <typename Function>
Function loaded_function(const char* name_of_function) {
    std::vector<std::string> libraries;
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* names) {
            static_cast<std::vector<std::string>*>(names)->emplace_back(library->dlpi_name);
            return 0;
        },
        &libraries);
    for (const auto& name : libraries) {
        void* library = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) {
            continue;
        }
        void* found = dlsym(library, name_of_function);
        dlclose(library);
        if (found != nullptr) {
            return reinterpret_cast<Function>(found);
        }
    }
    return nullptr;
}

}  // namespace

struct HallmarkMetalium {
    Annotate annotate = nullptr;
    StateProgram state_program = nullptr;
    WriteWaits write_waits = nullptr;
    std::string error;
    std::shared_ptr<MeshDevice> device;
    std::map<std::uint32_t, std::shared_ptr<MeshBuffer>> buffers;
    std::map<std::uint32_t, ProgramOfCapture> programs;
    std::map<std::uint32_t, KernelOfCapture> kernels;
    std::map<std::uint32_t, CircularBufferOfCapture> circular_buffers;
    std::map<std::uint32_t, std::unique_ptr<MeshEvent>> events;
    std::map<std::uint32_t, MeshTraceId> traces;
    MeshCoordinate origin{0, 0};
    MeshCoordinateRange everywhere{origin, origin};

    MeshCommandQueue& queue(std::uint8_t id) const { return device->mesh_command_queue(id); }
    Program& program_of_kernel(std::uint32_t kernel) { return programs.at(kernels.at(kernel).program).program; }
    Program& program_of_circular_buffer(std::uint32_t id) {
        return programs.at(circular_buffers.at(id).program).program;
    }
    const Buffer& buffer(std::uint32_t id) { return *buffers.at(id)->get_reference_buffer(); }
};

namespace {

template <typename Action>
std::int32_t guarded(HallmarkMetalium* session, Action action) {
    try {
        action();
        return 0;
    } catch (const std::exception& exception) {
        session->error = exception.what();
    } catch (...) {
        session->error = "an exception that is not a std::exception";
    }
    return 1;
}

// Makes an object, looks at it, and looks whether it stays within its size.
template <typename Object, typename Make, typename IsRight>
void check_object(const char* name, Make make, IsRight is_right) {
    constexpr unsigned char pattern = 0x5A;
    constexpr std::size_t behind = 256;
    alignas(16) static unsigned char memory[sizeof(Object) + behind];
    std::memset(memory, pattern, sizeof memory);
    const Object* object = make(memory);
    auto is_pattern = [](unsigned char byte) { return byte == pattern; };
    if (!std::all_of(memory + sizeof(Object), memory + sizeof memory, is_pattern)) {
        throw std::runtime_error(
            std::string("self-test: a ") + name + " is larger than " + std::to_string(sizeof(Object)) + " B");
    }
    if (!is_right(*object)) {
        throw std::runtime_error(std::string("self-test: the members of a ") + name + " are elsewhere");
    }
}

// The circular buffer that is a scratchpad, on the highest index that the program does not use.
CBHandle create_scratchpad(ProgramOfCapture& program, std::span<const CoreRange> cores, std::uint32_t size) {
    constexpr std::uint32_t indices = 32;
    constexpr std::uint32_t alignment = 16;
    constexpr auto words = tt::DataFormat(numbers::DataFormat::UInt32);
    auto& taken = program.circular_buffer_indices;
    for (std::uint32_t index = indices; index-- > 0;) {
        if (!taken.insert(index).second) {
            continue;
        }
        auto bytes = (size + alignment - 1) / alignment * alignment;
        CircularBufferConfig config(bytes, {{index, words}});
        config.set_page_size(index, bytes);
        return CreateCircularBuffer(program.program, CoreSpec(CoreRangeSet(cores)), config);
    }
    throw std::runtime_error("a scratchpad takes an index of a circular buffer, and the program uses every one");
}

// Puts the addresses of scratchpads into the arguments; a circular buffer that changed may have moved them.
void place_scratchpads(HallmarkMetalium& session, ProgramOfCapture& program) {
    for (auto& scratchpad : program.scratchpads) {
        if (!scratchpad.circular_buffer) {
            const auto& cores = session.kernels.at(scratchpad.kernel).cores;
            scratchpad.circular_buffer = create_scratchpad(program, cores, scratchpad.size);
        }
    }
    if (program.scratchpads.empty()) {
        return;
    }
    auto& impl = program.program.impl();
    // The first base of a mesh device.
    impl.allocate_circular_buffers(reinterpret_cast<const IDevice*>(session.device.get()));
    for (const auto& scratchpad : program.scratchpads) {
        auto handle = session.kernels.at(scratchpad.kernel).handle;
        auto address = impl.get_circular_buffer(*scratchpad.circular_buffer)->address();
        GetCommonRuntimeArgs(program.program, handle).data[scratchpad.argument] = address;
    }
}

}  // namespace

extern "C" {

HallmarkMetalium* hallmark_metalium_new() {
    try {
        return new HallmarkMetalium();
    } catch (...) {
        return nullptr;
    }
}

const char* hallmark_metalium_error(const HallmarkMetalium* session) { return session->error.c_str(); }

// Makes objects as the description of the release has them, before anything is done on a device.
std::int32_t hallmark_metalium_self_test(HallmarkMetalium* session) {
    return guarded(session, [&] {
        std::array<std::uint32_t, 2> shape{16, 32}, face{16, 16};
        check_object<Tile>("Tile", [&](void* memory) { return new (memory) Tile(make_tile(shape, face, true)); },
            [&](const Tile& tile) {
                const std::uint32_t sides[] = {shape[0], shape[1], face[0], face[1]};
                bool transposes = hallmark::member_at<bool>(tile, offsets::Tile::transposes_within_face) &&
                                  hallmark::member_at<bool>(tile, offsets::Tile::transposes_faces);
                return std::memcmp(&tile, sides, sizeof sides) == 0 && transposes;
            });
        const std::vector<CoreRange> ranges{{{1, 2}, {3, 4}}, {{5, 2}, {6, 7}}};
        check_object<CoreRangeSet>("CoreRangeSet",
            [&](void* memory) { return new (memory) CoreRangeSet(std::span<const CoreRange>(ranges)); },
            [&](const CoreRangeSet& set) {
                const auto& held = reinterpret_cast<const std::vector<CoreRange>&>(set);
                return held.size() == ranges.size() &&
                       std::memcmp(held.data(), ranges.data(), ranges.size() * sizeof(CoreRange)) == 0;
            });
        MeshCoordinate origin{0, 0};
        check_object<MeshCoordinateRange>("MeshCoordinateRange",
            [&](void* memory) { return new (memory) MeshCoordinateRange(origin, origin); },
            [](const MeshCoordinateRange&) { return true; });
        check_object<CircularBufferConfig>("CircularBufferConfig",
            [&](void* memory) {
                constexpr auto words = tt::DataFormat(numbers::DataFormat::UInt32);
                auto config = new (memory) CircularBufferConfig(256, {{3, words}});
                config->set_page_size(3, 64).set_tile_dims(3, make_tile(shape, face, false));
                return config;
            },
            [](const CircularBufferConfig&) { return true; });
    });
}

std::int32_t hallmark_metalium_open(
    HallmarkMetalium* session, const HallmarkOpening* opening, std::uint32_t* grid) {
    return guarded(session, [&] {
        session->device = MeshDevice::create_unit_mesh(
            0,
            opening->l1_small_size,
            opening->trace_region_size,
            opening->queues,
            DispatchCoreConfig{},
            {},
            opening->worker_l1_size);
        session->annotate = loaded_function<Annotate>("hallmark_annotate");
        session->state_program = loaded_function<StateProgram>("hallmark_state_program");
        session->write_waits = loaded_function<WriteWaits>("hallmark_write_waits");
        auto size = session->device->compute_with_storage_grid_size();
        grid[0] = size.x;
        grid[1] = size.y;
    });
}

std::int32_t hallmark_metalium_close(HallmarkMetalium* session) {
    return guarded(session, [&] {
        session->events.clear();
        session->programs.clear();
        session->buffers.clear();
        if (session->write_waits != nullptr) {
            session->write_waits();
        }
        if (session->device && !session->device->close()) {
            throw std::runtime_error("MeshDevice::close failed");
        }
        session->device.reset();
    });
}

std::int32_t hallmark_metalium_worker_core(
    HallmarkMetalium* session, std::uint32_t x, std::uint32_t y, std::uint32_t* core) {
    return guarded(session, [&] {
        auto virtual_core = session->device->worker_core_from_logical_core({x, y});
        core[0] = virtual_core.x;
        core[1] = virtual_core.y;
    });
}

std::int32_t hallmark_metalium_takes_annotations(HallmarkMetalium* session, std::uint32_t* takes) {
    return guarded(session, [&] { *takes = session->annotate != nullptr; });
}

std::int32_t hallmark_metalium_annotate(
    HallmarkMetalium* session,
    std::uint32_t x,
    std::uint32_t y,
    std::uint64_t start,
    std::uint64_t length,
    std::uint32_t meaning) {
    return guarded(session, [&] {
        if (session->annotate != nullptr) {
            session->annotate(x, y, start, length, meaning);
        }
    });
}

std::int32_t hallmark_metalium_takes_programs(HallmarkMetalium* session, std::uint32_t* takes) {
    return guarded(session, [&] { *takes = session->state_program != nullptr; });
}

// The messages of the program's launches hold this number from now on.
std::int32_t hallmark_metalium_number_program(HallmarkMetalium* session, std::uint32_t id, std::uint32_t number) {
    return guarded(session, [&] { session->programs.at(id).program.impl().set_runtime_id(number); });
}

std::int32_t hallmark_metalium_state_program(HallmarkMetalium* session, const char* text) {
    return guarded(session, [&] {
        if (session->state_program != nullptr) {
            session->state_program(text, std::strlen(text));
        }
    });
}

std::int32_t hallmark_metalium_create_buffer(
    HallmarkMetalium* session,
    std::uint32_t id,
    const HallmarkBuffer* buffer,
    const HallmarkSharding* sharding,
    HallmarkMadeBuffer* placed) {
    return guarded(session, [&] {
        DeviceLocalBufferConfig local;
        local.page_size = buffer->page_size;
        local.buffer_type = BufferType(buffer->buffer_type);
        if (buffer->bottom_up >= 0) {
            local.bottom_up = buffer->bottom_up != 0;
        }
        std::optional<ShardSpecBuffer> specification;
        if (sharding != nullptr) {
            ShardSpec shard{
                cores_of(sharding->cores),
                {sharding->shape[0], sharding->shape[1]},
                sharding->is_column_major ? ShardOrientation::COL_MAJOR : ShardOrientation::ROW_MAJOR};
            specification.emplace(ShardSpecBuffer{
                std::move(shard),
                {sharding->page_shape[0], sharding->page_shape[1]},
                {sharding->tensor_shape_in_pages[0], sharding->tensor_shape_in_pages[1]}});
        }
        auto layout = TensorMemoryLayout(buffer->layout);
        if (specification || layout != TensorMemoryLayout::INTERLEAVED) {
            local.sharding_args = BufferShardingArgs(std::move(specification), layout);
        }
        auto made =
            MeshBuffer::create(ReplicatedBufferConfig{buffer->size}, local, session->device.get(), std::nullopt);
        *placed = {made->address(), made->get_reference_buffer()->aligned_size_per_bank()};
        session->buffers[id] = std::move(made);
    });
}

// Lets upstream check a view of a part of a buffer. Its mesh buffers have no views, but the device's buffer behind one has.
std::int32_t hallmark_metalium_check_view(
    HallmarkMetalium* session,
    std::uint32_t id,
    std::uint64_t of_offset,
    std::uint64_t of_size,
    std::uint64_t offset,
    std::uint64_t size) {
    return guarded(session, [&] {
        auto& buffer = *session->buffers.at(id)->get_reference_buffer();
        auto part = view_of(buffer, BufferRegion{of_offset, of_size});
        view_of(*part, BufferRegion{offset, size});
    });
}

std::int32_t hallmark_metalium_deallocate_buffer(HallmarkMetalium* session, std::uint32_t id) {
    return guarded(session, [&] { session->buffers.erase(id); });
}

std::int32_t hallmark_metalium_create_program(HallmarkMetalium* session, std::uint32_t id) {
    return guarded(session, [&] { session->programs.emplace(id, ProgramOfCapture{.program = CreateProgram()}); });
}

std::int32_t hallmark_metalium_create_kernel(
    HallmarkMetalium* session, std::uint32_t id, std::uint32_t program, const HallmarkKernel* kernel) {
    return guarded(session, [&] {
        std::vector<std::uint32_t> compile_args(
            kernel->compile_args.data, kernel->compile_args.data + kernel->compile_args.count);
        std::map<std::string, std::string> defines;
        for (std::size_t at = 0; at < kernel->define_count; at++) {
            defines[kernel->defines[at].name] = kernel->defines[at].value;
        }
        auto fill_in = [&](auto& config) {
            config.compile_args = std::move(compile_args);
            config.defines = std::move(defines);
            for (std::size_t at = 0; at < kernel->named_compile_arg_count; at++) {
                config.named_compile_args[kernel->named_compile_args[at].name] = kernel->named_compile_args[at].value;
            }
            if (kernel->opt_level >= 0) {
                config.opt_level = KernelBuildOptLevel(kernel->opt_level);
            }
            if (*kernel->include_path != 0) {
                config.compiler_include_paths.emplace_back(kernel->include_path);
            }
        };
        std::variant<DataMovementConfig, ComputeConfig> config;
        if (kernel->is_compute) {
            ComputeConfig compute;
            compute.math_fidelity = MathFidelity(kernel->math_fidelity);
            compute.fp32_dest_acc_en = kernel->fp32_dest_acc_en;
            compute.math_approx_mode = kernel->math_approx_mode;
            compute.dst_full_sync_en = kernel->dst_full_sync_en;
            compute.bfp8_pack_precise = kernel->bfp8_pack_precise;
            compute.unpack_to_dest_mode.assign(
                kernel->unpack_to_dest_mode, kernel->unpack_to_dest_mode + kernel->unpack_to_dest_mode_count);
            fill_in(compute);
            config = std::move(compute);
        } else {
            DataMovementConfig data_movement;
            data_movement.processor = DataMovementProcessor(kernel->processor);
            data_movement.noc = NOC(kernel->noc);
            data_movement.noc_mode = NOC_MODE(kernel->noc_mode);
            fill_in(data_movement);
            config = std::move(data_movement);
        }
        auto handle = CreateKernel(
            session->programs.at(program).program, kernel->path, CoreSpec(cores_of(kernel->cores)), config);
        session->kernels[id] = {program, handle, ranges_of(kernel->cores)};
    });
}

std::int32_t hallmark_metalium_set_runtime_args(
    HallmarkMetalium* session, std::uint32_t kernel, HallmarkRanges cores, HallmarkWords words) {
    return guarded(session, [&] {
        SetRuntimeArgs(
            session->program_of_kernel(kernel),
            session->kernels.at(kernel).handle,
            CoreSpec(cores_of(cores)),
            std::span(words.data, words.count));
    });
}

std::int32_t hallmark_metalium_set_common_runtime_args(
    HallmarkMetalium* session, std::uint32_t kernel, HallmarkWords words, HallmarkScratchpads made) {
    return guarded(session, [&] {
        const auto& known = session->kernels.at(kernel);
        auto& program = session->programs.at(known.program);
        SetCommonRuntimeArgs(program.program, known.handle, std::span(words.data, words.count));
        for (std::size_t at = 0; at < made.count; at++) {
            program.scratchpads.push_back({kernel, made.data[at].argument, made.data[at].size, std::nullopt});
        }
    });
}

std::int32_t hallmark_metalium_update_common_runtime_args(
    HallmarkMetalium* session, std::uint32_t kernel, std::uint32_t first, HallmarkWords words) {
    return guarded(session, [&] {
        auto& common =
            GetCommonRuntimeArgs(session->program_of_kernel(kernel), session->kernels.at(kernel).handle);
        if (first > common.count || words.count > common.count - first) {
            throw std::out_of_range("GetCommonRuntimeArgs gives fewer words than are updated");
        }
        std::copy(words.data, words.data + words.count, common.data + first);
    });
}

std::int32_t hallmark_metalium_create_semaphore(
    HallmarkMetalium* session,
    std::uint32_t program,
    HallmarkRanges cores,
    std::uint32_t initial_value,
    std::uint32_t* index) {
    return guarded(session, [&] {
        *index = CreateSemaphore(session->programs.at(program).program, cores_of(cores), initial_value);
    });
}

std::int32_t hallmark_metalium_create_circular_buffer(
    HallmarkMetalium* session, std::uint32_t id, std::uint32_t program, const HallmarkCircularBuffer* made) {
    return guarded(session, [&] {
        std::map<std::uint8_t, tt::DataFormat> formats;
        for (std::size_t at = 0; at < made->index_count; at++) {
            formats[made->indices[at].index] = tt::DataFormat(made->indices[at].data_format);
        }
        CircularBufferConfig config(made->total_size, formats);
        for (std::size_t at = 0; at < made->index_count; at++) {
            const auto& index = made->indices[at];
            config.set_page_size(index.index, index.page_size);
            if (index.has_tile) {
                config.set_tile_dims(
                    index.index,
                    make_tile(
                        {index.tile[0], index.tile[1]},
                        {index.tile[2], index.tile[3]},
                        index.transposes_tile != 0));
            }
        }
        if (made->buffer >= 0) {
            config.set_globally_allocated_address(session->buffer(made->buffer));
            if (made->address_offset != 0) {
                config.set_address_offset(made->address_offset);
            }
        }
        auto handle = CreateCircularBuffer(
            session->programs.at(program).program, CoreSpec(cores_of(made->cores)), config);
        session->circular_buffers[id] = {program, handle};
        for (std::size_t at = 0; at < made->index_count; at++) {
            session->programs.at(program).circular_buffer_indices.insert(made->indices[at].index);
        }
    });
}

std::int32_t hallmark_metalium_update_circular_buffer_total_size(
    HallmarkMetalium* session, std::uint32_t id, std::uint32_t total_size) {
    return guarded(session, [&] {
        UpdateCircularBufferTotalSize(
            session->program_of_circular_buffer(id), session->circular_buffers.at(id).handle, total_size);
    });
}

std::int32_t hallmark_metalium_update_circular_buffer_page_size(
    HallmarkMetalium* session, std::uint32_t id, std::uint32_t index, std::uint32_t page_size) {
    return guarded(session, [&] {
        UpdateCircularBufferPageSize(
            session->program_of_circular_buffer(id), session->circular_buffers.at(id).handle, index, page_size);
    });
}

std::int32_t hallmark_metalium_update_dynamic_circular_buffer_address(
    HallmarkMetalium* session, std::uint32_t id, std::uint32_t buffer, std::uint32_t offset) {
    return guarded(session, [&] {
        UpdateDynamicCircularBufferAddress(
            session->program_of_circular_buffer(id),
            session->circular_buffers.at(id).handle,
            session->buffer(buffer),
            offset);
    });
}

std::int32_t hallmark_metalium_update_dynamic_circular_buffer_address_and_total_size(
    HallmarkMetalium* session, std::uint32_t id, std::uint32_t buffer, std::uint32_t total_size) {
    return guarded(session, [&] {
        UpdateDynamicCircularBufferAddressAndTotalSize(
            session->program_of_circular_buffer(id),
            session->circular_buffers.at(id).handle,
            session->buffer(buffer),
            total_size);
    });
}

// A region of the whole buffer is written as the whole buffer.
std::int32_t hallmark_metalium_write(
    HallmarkMetalium* session,
    std::uint32_t queue,
    std::uint32_t buffer,
    const std::uint8_t* data,
    std::uint64_t offset,
    std::uint64_t size,
    std::uint32_t blocking) {
    return guarded(session, [&] {
        const auto& target = session->buffers.at(buffer);
        if (offset == 0 && size == target->size()) {
            session->queue(queue).enqueue_write_mesh_buffer(target, data, blocking);
        } else {
            session->queue(queue).enqueue_write_shard_to_sub_grid(
                *target, data, session->everywhere, blocking, BufferRegion{offset, size});
        }
    });
}

// Reads the whole buffer, for which `data` has room: upstream reads mesh buffers only so, and only waiting.
std::int32_t hallmark_metalium_read(
    HallmarkMetalium* session,
    std::uint32_t queue,
    std::uint32_t buffer,
    std::uint8_t* data) {
    return guarded(session, [&] {
        session->queue(queue).enqueue_read_mesh_buffer(data, session->buffers.at(buffer), true);
    });
}

std::int32_t hallmark_metalium_enqueue_program(
    HallmarkMetalium* session, std::uint32_t queue, std::uint32_t id, std::uint32_t blocking) {
    return guarded(session, [&] {
        auto& program = session->programs.at(id);
        place_scratchpads(*session, program);
        if (!program.workload) {
            auto workload = std::make_unique<MeshWorkload>();
            workload->add_program(session->everywhere, program.program.share());
            program.workload = std::move(workload);
        }
        EnqueueMeshWorkload(session->queue(queue), *program.workload, blocking);
    });
}

std::int32_t hallmark_metalium_finish(HallmarkMetalium* session, std::uint32_t queue) {
    return guarded(session, [&] { session->queue(queue).finish({}); });
}

std::int32_t hallmark_metalium_record_event(
    HallmarkMetalium* session, std::uint32_t queue, std::uint32_t event, std::uint32_t host_visible) {
    return guarded(session, [&] {
        auto& target = session->queue(queue);
        session->events[event].reset(new MeshEvent(
            host_visible ? target.enqueue_record_event_to_host({}, std::nullopt)
                         : target.enqueue_record_event({}, std::nullopt)));
    });
}

std::int32_t hallmark_metalium_wait_for_event(
    HallmarkMetalium* session, std::uint32_t queue, std::uint32_t event) {
    return guarded(session, [&] { session->queue(queue).enqueue_wait_for_event(*session->events.at(event)); });
}

std::int32_t hallmark_metalium_synchronize_event(HallmarkMetalium* session, std::uint32_t event) {
    return guarded(session, [&] { EventSynchronize(*session->events.at(event)); });
}

std::int32_t hallmark_metalium_query_event(
    HallmarkMetalium* session, std::uint32_t event, std::uint32_t* has_happened) {
    return guarded(session, [&] { *has_happened = EventQuery(*session->events.at(event)); });
}

std::int32_t hallmark_metalium_begin_trace(HallmarkMetalium* session, std::uint32_t queue, std::uint32_t trace) {
    return guarded(session, [&] { session->traces[trace] = BeginTraceCapture(session->device.get(), queue); });
}

std::int32_t hallmark_metalium_end_trace(HallmarkMetalium* session, std::uint32_t queue, std::uint32_t trace) {
    return guarded(session, [&] { session->device->end_mesh_trace(queue, session->traces.at(trace)); });
}

std::int32_t hallmark_metalium_replay_trace(
    HallmarkMetalium* session, std::uint32_t queue, std::uint32_t trace, std::uint32_t blocking) {
    return guarded(
        session, [&] { session->device->replay_mesh_trace(queue, session->traces.at(trace), blocking); });
}

std::int32_t hallmark_metalium_release_trace(HallmarkMetalium* session, std::uint32_t trace) {
    return guarded(session, [&] { session->device->release_mesh_trace(session->traces.at(trace)); });
}

}  // extern "C"

#include "programs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace hallmark::recorder {
namespace {

constexpr char kDataMovement[] = "N2tt8tt_metal18DataMovementKernelE";
constexpr char kCompute[] = "N2tt8tt_metal13ComputeKernelE";
// Headers that a kernel's text is compiled behind, in the order in which TT-Metalium includes them.
constexpr const char* kGenerated[] = {
    "kernel_bindings_generated.h", "kernel_args_generated.h", "named_args_generated.h"};
constexpr off_t kTextLimit = 16 << 20;

// False if the file cannot be read, or is larger than a kernel can be.
bool read(const std::string& path, std::string& text) {
    int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    struct stat status;
    bool is_read = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kTextLimit;
    if (is_read) {
        text.resize(static_cast<std::size_t>(status.st_size));
        is_read = ::read(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    }
    close(file);
    return is_read;
}

template <typename List>
void count(const List& list, Payload& payload) {
    payload.u32(static_cast<std::uint32_t>(list.size()));
}

void words(const std::uint32_t* start, std::size_t length, Payload& payload) {
    payload.u32(static_cast<std::uint32_t>(length));
    payload.bytes(start, length * sizeof *start);
}

void configuration(const metal::Kernel& kernel, Payload& payload) {
    const char* name = kernel.class_name();
    if (std::strcmp(name, kDataMovement) == 0) {
        const auto& options = kernel.configuration<metal::DataMovementConfig>();
        payload.u8(0);
        payload.u32(static_cast<std::uint32_t>(options.processor));
        payload.u8(options.noc);
        payload.u8(options.noc_mode);
        payload.u8(static_cast<std::uint8_t>(options.opt_level));
    } else if (std::strcmp(name, kCompute) == 0) {
        const auto& options = kernel.configuration<metal::ComputeConfig>();
        payload.u8(1);
        payload.u8(static_cast<std::uint8_t>(options.math_fidelity));
        payload.boolean(options.fp32_dest_acc_en);
        payload.boolean(options.dst_full_sync_en);
        payload.text(
            reinterpret_cast<const char*>(options.unpack_to_dest_mode.data()), options.unpack_to_dest_mode.size());
        payload.boolean(options.bfp8_pack_precise);
        payload.boolean(options.math_approx_mode);
        payload.u8(static_cast<std::uint8_t>(options.opt_level));
    } else {
        payload.u8(2);
        payload.text(name, std::strlen(name));
    }
}

void describe(const metal::Kernel& kernel, Payload& payload) {
    const auto& source = kernel.source();
    if (source.type == metal::kSourceIsFile) {
        std::string text;
        bool is_read = read(source.path, text);
        payload.u8(0);
        payload.text(source.source);
        payload.text(source.path);
        payload.boolean(is_read);
        payload.text(is_read ? text : std::string());
    } else {
        payload.u8(1);
        payload.text(source.source);
    }
    cores(library.kernel_cores(&kernel), payload);
    configuration(kernel, payload);
    library.kernel_compile_args(
        &kernel, [&](const std::vector<std::uint32_t>& values) { words(values.data(), values.size(), payload); });
    std::vector<std::pair<std::string, std::uint32_t>> named;
    library.kernel_named_compile_args(&kernel, [&](const std::unordered_map<std::string, std::uint32_t>& values) {
        named.assign(values.begin(), values.end());
    });
    std::sort(named.begin(), named.end());
    count(named, payload);
    for (const auto& [name, value] : named) {
        payload.text(name);
        payload.u32(value);
    }
    std::vector<std::pair<std::string, std::string>> defines;
    library.kernel_defines(
        &kernel, [&](const std::string& name, const std::string& value) { defines.emplace_back(name, value); });
    std::sort(defines.begin(), defines.end());
    count(defines, payload);
    for (const auto& [name, value] : defines) {
        payload.text(name);
        payload.text(value);
    }
    payload.boolean(has_generated_bindings(kernel));
    const auto& scratchpads = kernel.scratchpads();
    count(scratchpads, payload);
    for (const auto& scratchpad : scratchpads) {
        payload.u32(scratchpad.argument);
        payload.u32(scratchpad.size);
    }
}

void circular_buffer(const metal::CircularBufferImpl* impl, Payload& payload) {
    metal::CircularBuffer buffer{impl};
    cores(library.circular_buffer_cores(&buffer), payload);
    payload.u32(library.circular_buffer_size(&buffer));
    const auto& unordered = library.circular_buffer_indices(&buffer);
    std::vector<std::uint8_t> indices(unordered.begin(), unordered.end());
    std::sort(indices.begin(), indices.end());
    count(indices, payload);
    for (std::uint8_t index : indices) {
        const auto& tile = library.circular_buffer_tile(impl, index);
        payload.u8(index);
        payload.u32(library.circular_buffer_page_size(&buffer, index));
        payload.u8(library.circular_buffer_format(&buffer, index));
        payload.boolean(tile.has_value());
        if (tile) {
            payload.u32(tile->height);
            payload.u32(tile->width);
            payload.u32(tile->face_height);
            payload.u32(tile->face_width);
            payload.boolean(tile->transposes_within_face);
            payload.boolean(tile->transposes_faces);
        }
    }
    bool is_given = library.circular_buffer_is_global(&buffer);
    payload.boolean(is_given);
    payload.u32(is_given ? library.circular_buffer_address(impl) : 0);
}

// As the circular buffer that it becomes. A later enqueue may have its memory elsewhere.
void borrowing(const metal::DataflowBufferImpl& buffer, Payload& payload) {
    cores(buffer.cores(), payload);
    payload.u32(buffer.entry_size() * buffer.entries());
    payload.u32(1);
    payload.u8(static_cast<std::uint8_t>(buffer.index()));
    payload.u32(buffer.entry_size());
    payload.u8(buffer.data_format());
    payload.boolean(false);
    payload.boolean(true);
    payload.u32(buffer.borrowed_address());
}

void arguments(metal::Kernel& kernel, Payload& payload) {
    const auto& common = library.kernel_common_runtime_args(&kernel);
    words(common.data, common.count, payload);
    const auto& cores = library.kernel_runtime_args(&kernel);
    std::uint32_t filled = 0;
    for (const auto& column : cores) {
        filled += static_cast<std::uint32_t>(
            std::count_if(column.begin(), column.end(), [](const auto& core) { return core.count != 0; }));
    }
    payload.u32(filled);
    for (std::size_t x = 0; x < cores.size(); ++x) {
        for (std::size_t y = 0; y < cores[x].size(); ++y) {
            if (cores[x][y].count != 0) {
                payload.u32(static_cast<std::uint32_t>(x));
                payload.u32(static_cast<std::uint32_t>(y));
                words(cores[x][y].data, cores[x][y].count, payload);
            }
        }
    }
}

}  // namespace

void cores(const std::vector<metal::CoreRange>& ranges, Payload& payload) {
    count(ranges, payload);
    for (const auto& range : ranges) {
        for (std::size_t coordinate : {range.start.x, range.start.y, range.end.x, range.end.y}) {
            payload.u32(static_cast<std::uint32_t>(coordinate));
        }
    }
}

bool has_generated_bindings(const metal::Kernel& kernel) {
    bool has_names = kernel.is_metal2();
    auto look = [&](const auto& names) { has_names |= !names.empty(); };
    library.kernel_named_runtime_args(&kernel, look);
    library.kernel_named_ct_args(&kernel, look);
    return has_names;
}

std::string generated_bindings(const std::string& folder) {
    std::string all;
    for (const char* name : kGenerated) {
        std::string text;
        if (!read(folder + "/" + name, text)) {
            continue;
        }
        constexpr char kOnce[] = "#pragma once";
        std::size_t at = text.find(kOnce);
        if (at != std::string::npos) {
            text.erase(at, sizeof kOnce - 1);
        }
        all += text;
    }
    return all;
}

std::string operation(const metal::detail::ProgramImpl* program) {
    std::string path;
    auto kernels = static_cast<std::uint32_t>(library.num_kernels(program));
    for (std::uint32_t handle = 0; handle < kernels && path.empty(); ++handle) {
        auto kernel = library.kernel(program, handle);
        if (kernel->source().type == metal::kSourceIsFile) {
            path = kernel->source().source;
        }
    }
    std::size_t end = path.rfind("/device/");
    // `reshape_view/device/device/reader.cpp`.
    while (end != std::string::npos && path.substr(0, end).ends_with("/device")) {
        end -= sizeof "/device" - 1;
    }
    if (end == std::string::npos || end == 0) {
        // The file's name without its ending.
        path.erase(0, path.rfind('/') + 1);
        end = path.rfind('.');
    }
    path.resize(std::min(end, path.size()));
    path.erase(0, path.rfind('/') + 1);
    for (char& letter : path) {
        bool is_plain = (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
                        (letter >= 'a' && letter <= 'z');
        letter = is_plain ? letter : '_';
    }
    return path.empty() ? "program" : path;
}

void describe(const metal::detail::ProgramImpl* program, Payload& payload) {
    payload.u64(library.program_id(program));
    payload.text(operation(program));
    auto kernels = static_cast<std::uint32_t>(library.num_kernels(program));
    payload.u32(kernels);
    for (std::uint32_t handle = 0; handle < kernels; ++handle) {
        describe(*library.kernel(program, handle), payload);
    }
    auto buffers = library.dataflow_buffers(program);
    std::erase_if(buffers, [](const auto& buffer) { return buffer->borrows_memory(); });
    count(buffers, payload);
    for (const auto& buffer : buffers) {
        payload.u32(buffer->id());
        payload.u32(buffer->index());
        cores(buffer->cores(), payload);
        payload.u32(buffer->entry_size());
        payload.u32(buffer->entries());
        payload.u8(buffer->data_format());
    }
    const auto& semaphores = library.semaphores(program);
    count(semaphores, payload);
    for (const auto& semaphore : semaphores) {
        payload.u32(semaphore.id);
        cores(semaphore.cores, payload);
        payload.u32(semaphore.initial_value);
        payload.u32(semaphore.core_type);
    }
}

void snapshot(const metal::detail::ProgramImpl* program, std::uint32_t queue, bool blocking, Payload& payload) {
    payload.u64(library.program_id(program));
    payload.u8(static_cast<std::uint8_t>(queue));
    payload.boolean(blocking);
    auto buffers = library.circular_buffers(program);
    auto borrowers = library.dataflow_buffers(program);
    std::erase_if(borrowers, [](const auto& buffer) { return !buffer->borrows_memory(); });
    payload.u32(static_cast<std::uint32_t>(buffers.size() + borrowers.size()));
    for (const auto& buffer : buffers) {
        circular_buffer(buffer.get(), payload);
    }
    for (const auto& buffer : borrowers) {
        borrowing(*buffer, payload);
    }
    auto kernels = static_cast<std::uint32_t>(library.num_kernels(program));
    payload.u32(kernels);
    for (std::uint32_t handle = 0; handle < kernels; ++handle) {
        arguments(*library.kernel(program, handle), payload);
    }
}

}  // namespace hallmark::recorder

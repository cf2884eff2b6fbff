#include "cuts.hpp"

#include <new>

#include "exceptions.hpp"
#include "process.hpp"

namespace hallmark::recorder {
namespace {

void wait_for(const mesh::MeshDevice* device) {
    auto queues = library.device_queues(device);
    for (std::uint8_t queue = 0; queue < queues; ++queue) {
        library.queue(device, queue).finish({});
    }
}

void read_back(const mesh::MeshDevice* device) {
    std::vector<Process::Memory> buffers;
    {
        StateLock lock;
        buffers = process.memory();
    }
    auto& queue = library.queue(device, 0);
    for (const auto& [id, buffer] : buffers) {
        auto size = library.buffer_size(library.reference_buffer(buffer.get()));
        std::unique_ptr<unsigned char[]> data(new (std::nothrow) unsigned char[size]);
        if (data == nullptr) {
            unfollowed("what a buffer holds at a cut, for which there is no memory");
            continue;
        }
        queue.enqueue_read_mesh_buffer(data.get(), buffer, true);
        Payload payload;
        payload.u64(id);
        StateLock lock;
        append(Kind::ContentsReadBack, payload, data.get(), size);
    }
}

}  // namespace

Cuts& cuts() {
    // Never destroyed: calls come until the process has ended.
    static auto made = new Cuts;
    return *made;
}

void Cuts::prepare() {
    selection_.prepare();
    is_wanted_ = !selection_.begins_without();
}

void Cuts::device_opened() {
    StateLock lock;
    if (!is_wanted_ && !is_open_) {
        is_open_ = true;
        append(Kind::CutBegun, Payload());
    }
}

void Cuts::launch(const mesh::MeshDevice* device, const std::vector<std::string>& operations) {
    if (operations.empty()) {
        return;
    }
    bool is_wanted = false;
    bool is_in_trace;
    {
        StateLock lock;
        for (const auto& operation : operations) {
            is_wanted |= selection_.wants(operation);
        }
        is_in_trace = selection_.is_in_trace();
        is_wanted_ = is_in_trace ? selection_.has_wanted_in_trace() : is_wanted;
    }
    if (!is_in_trace) {
        want(device, is_wanted);
    }
}

void Cuts::begin_trace(std::uint32_t trace) {
    StateLock lock;
    if (selection_.is_asked()) {
        selection_.begin_trace(trace);
    }
}

void Cuts::end_trace() {
    StateLock lock;
    selection_.end_trace();
}

void Cuts::replay(const mesh::MeshDevice* device, std::uint32_t trace) {
    bool is_wanted;
    {
        StateLock lock;
        is_wanted = selection_.wants_replay(trace);
        is_wanted_ = is_wanted;
    }
    want(device, is_wanted);
}

void Cuts::settle(const mesh::MeshDevice* device) {
    bool is_wanted;
    {
        StateLock lock;
        if (selection_.is_in_trace()) {
            return;
        }
        is_wanted = is_wanted_;
    }
    want(device, is_wanted);
}

void Cuts::want(const mesh::MeshDevice* device, bool is_wanted) {
    {
        StateLock lock;
        if (is_open_ != is_wanted) {
            return;
        }
        is_open_ = !is_wanted;
    }
    bool is_read = guarded([&] { wait_for(device); });
    {
        StateLock lock;
        append(is_wanted ? Kind::CutEnded : Kind::CutBegun, Payload());
    }
    is_read = is_read && guarded([&] { read_back(device); });
    if (!is_read) {
        unfollowed("what buffers hold at a cut, which the device did not return");
    }
}

}  // namespace hallmark::recorder

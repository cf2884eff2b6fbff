// The objects of the process that are followed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "recorder.hpp"

namespace hallmark::recorder {

// All functions are called under the lock of the recorder's state.
class Process {
public:
    // The number of a device that was opened. Calls on a device that is open beside another one are not followed.
    std::uint32_t open(const mesh::MeshDevice* device);
    // False for a device that is not followed.
    bool close(const mesh::MeshDevice* device, std::uint32_t& number);
    bool is_followed(const mesh::MeshDevice* device) const { return device == followed_; }
    // Whether it is the last device that was closed. What it is asked no longer has an answer.
    bool is_closed(const mesh::MeshDevice* device) const { return device == closed_; }
    bool has_device() const { return followed_ != nullptr; }
    std::uint32_t device() const { return number_; }

    // A buffer by the identifier of the device's, and that of the one that holds the memory, if it has memory of its own.
    void add_buffer(std::uint64_t buffer, std::optional<std::uint64_t> backing);
    bool knows_buffer(std::uint64_t buffer) const;
    // The buffer whose memory is freed, if it is followed.
    std::optional<std::uint64_t> take_backing(std::uint64_t backing);
    // The memory of a buffer by an object of the recorder's own, which does not keep the memory from being freed.
    using Memory = std::pair<std::uint64_t, std::shared_ptr<mesh::MeshBuffer>>;
    void add_memory(Memory memory);
    // That of all buffers that are not freed, in the order in which they were made.
    std::vector<Memory> memory() const;
    // The objects of those that were freed since the last call, which are destroyed outside of the lock.
    std::vector<std::shared_ptr<mesh::MeshBuffer>> take_freed();

    void add_program(const void* program);
    void remove_program(const void* program);
    bool knows_program(const void* program) const;
    bool is_described(std::uint64_t program) const;
    // True the first time.
    bool describe(std::uint64_t program);
    // Whether it was described.
    bool forget(std::uint64_t program);

    struct Read {
        std::uint32_t number;
        std::uint32_t queue;
        const void* to;
        std::uint64_t size;
    };
    std::uint32_t begin_read(std::uint32_t queue, const void* to, std::uint64_t size);
    std::uint32_t reads_begun() const { return reads_; }
    // Removes a read of a queue whose number is less; false if there is none.
    bool take_read(std::uint32_t queue, std::uint32_t before, Read& read);

    void add_event(std::uint32_t queue, std::uint32_t number);
    // How many reads had begun when the event was recorded.
    std::uint32_t reads_before(std::uint32_t queue, std::uint32_t number) const;

    void begin_trace(std::uint32_t queue, std::uint32_t trace);
    std::uint32_t trace_of(std::uint32_t queue) const;

private:
    const mesh::MeshDevice* followed_ = nullptr;
    const mesh::MeshDevice* closed_ = nullptr;
    std::uint32_t number_ = 0;
    std::uint32_t opened_ = 0;
    std::uint32_t reads_ = 0;
};

extern Process process;

}  // namespace hallmark::recorder

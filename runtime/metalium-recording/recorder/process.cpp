#include "process.hpp"

#include <map>
#include <unordered_map>
#include <unordered_set>

namespace hallmark::recorder {
namespace {

struct Tables {
    std::unordered_set<std::uint64_t> buffers;
    std::unordered_map<std::uint64_t, std::uint64_t> backings;
    std::map<std::uint64_t, std::shared_ptr<mesh::MeshBuffer>> memory;
    std::vector<std::shared_ptr<mesh::MeshBuffer>> freed;
    std::unordered_set<const void*> programs;
    std::unordered_set<std::uint64_t> described;
    std::vector<Process::Read> reads;
    std::unordered_map<std::uint64_t, std::uint32_t> events;
    std::unordered_map<std::uint32_t, std::uint32_t> traces;
};

// Never destroyed: calls come until the process has ended.
Tables& tables() {
    static auto made = new Tables;
    return *made;
}

std::uint64_t event_key(std::uint32_t queue, std::uint32_t number) {
    return std::uint64_t{queue} << 32 | number;
}

}  // namespace

constinit Process process;

std::uint32_t Process::open(const mesh::MeshDevice* device) {
    std::uint32_t number = opened_++;
    if (followed_ == nullptr) {
        followed_ = device;
        closed_ = nullptr;
        number_ = number;
    }
    return number;
}

bool Process::close(const mesh::MeshDevice* device, std::uint32_t& number) {
    if (device != followed_ || device == nullptr) {
        return false;
    }
    followed_ = nullptr;
    closed_ = device;
    number = number_;
    return true;
}

void Process::add_buffer(std::uint64_t buffer, std::optional<std::uint64_t> backing) {
    tables().buffers.insert(buffer);
    if (backing) {
        tables().backings[*backing] = buffer;
    }
}

bool Process::knows_buffer(std::uint64_t buffer) const { return tables().buffers.contains(buffer); }

std::optional<std::uint64_t> Process::take_backing(std::uint64_t backing) {
    auto found = tables().backings.find(backing);
    if (found == tables().backings.end()) {
        return std::nullopt;
    }
    std::uint64_t buffer = found->second;
    tables().backings.erase(found);
    auto memory = tables().memory.find(buffer);
    if (memory != tables().memory.end()) {
        tables().freed.push_back(std::move(memory->second));
        tables().memory.erase(memory);
    }
    return buffer;
}

void Process::add_memory(Memory memory) { tables().memory.insert(std::move(memory)); }

std::vector<Process::Memory> Process::memory() const { return {tables().memory.begin(), tables().memory.end()}; }
std::vector<std::shared_ptr<mesh::MeshBuffer>> Process::take_freed() { return std::exchange(tables().freed, {}); }

void Process::add_program(const void* program) { tables().programs.insert(program); }
void Process::remove_program(const void* program) { tables().programs.erase(program); }
bool Process::knows_program(const void* program) const { return tables().programs.contains(program); }
bool Process::is_described(std::uint64_t program) const { return tables().described.contains(program); }
bool Process::describe(std::uint64_t program) { return tables().described.insert(program).second; }
bool Process::forget(std::uint64_t program) { return tables().described.erase(program) != 0; }

std::uint32_t Process::begin_read(std::uint32_t queue, const void* to, std::uint64_t size) {
    std::uint32_t number = reads_++;
    tables().reads.push_back({number, queue, to, size});
    return number;
}

bool Process::take_read(std::uint32_t queue, std::uint32_t before, Read& read) {
    auto& reads = tables().reads;
    for (auto at = reads.begin(); at != reads.end(); ++at) {
        if (at->queue == queue && at->number < before) {
            read = *at;
            reads.erase(at);
            return true;
        }
    }
    return false;
}

void Process::add_event(std::uint32_t queue, std::uint32_t number) {
    tables().events[event_key(queue, number)] = reads_;
}

std::uint32_t Process::reads_before(std::uint32_t queue, std::uint32_t number) const {
    auto found = tables().events.find(event_key(queue, number));
    return found == tables().events.end() ? 0 : found->second;
}

void Process::begin_trace(std::uint32_t queue, std::uint32_t trace) { tables().traces[queue] = trace; }

std::uint32_t Process::trace_of(std::uint32_t queue) const {
    auto found = tables().traces.find(queue);
    return found == tables().traces.end() ? 0 : found->second;
}

}  // namespace hallmark::recorder

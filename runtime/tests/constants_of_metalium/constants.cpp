// What TT-Metalium says of numbers that show through its ABI: a line each, a name and then numbers.
#include "metalium_abi.hpp"

#include <cstdio>
#include <fstream>

namespace tt::tt_metal {

enum class HalMemType : std::uint8_t { L1 = 0, DRAM = 1 };

namespace hal {
std::uint32_t get_arch_num_circular_buffers();
std::uint32_t get_noc_max_burst_size_bytes();
}  // namespace hal

class Allocator {
public:
    std::uint32_t get_num_banks(const BufferType&) const;
    std::uint32_t get_bank_size(const BufferType&) const;
    std::int64_t get_bank_offset(BufferType, std::uint32_t) const;
    xy_pair get_logical_core_from_bank_id(std::uint32_t) const;
    std::uint32_t get_alignment(BufferType) const;
    std::uint64_t get_base_allocator_addr(const HalMemType&) const;
};

class IDevice;
class CircularBufferImpl {
public:
    std::uint32_t address() const;
};

namespace detail {
class ProgramImpl {
public:
    void allocate_circular_buffers(const IDevice*);
    std::shared_ptr<CircularBufferImpl> get_circular_buffer(CBHandle) const;
};
}  // namespace detail

}  // namespace tt::tt_metal

using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

// `MeshDevice::allocator() const`, which gives a reference to the pointer.
extern "C" const std::unique_ptr<Allocator>& _ZNK2tt8tt_metal11distributed10MeshDevice9allocatorEv(const MeshDevice*);

namespace {

const CoreRange FIRST{{0, 0}, {0, 0}};

// How many of something there may be: the first that is refused, less 1; 0 if none up to the end.
template <typename Make>
unsigned most(unsigned end, Make make) {
    for (unsigned count = 1; count <= end; count++) {
        try {
            make(count);
        } catch (const std::exception&) {
            return count - 1;
        }
    }
    return 0;
}

void memory(const char* name, const Allocator& allocator, BufferType type, HalMemType memory) {
    std::printf("%s_banks %u\n", name, allocator.get_num_banks(type));
    std::printf("%s_bank_size %u\n", name, allocator.get_bank_size(type));
    std::printf("%s_base %llu\n", name, static_cast<unsigned long long>(allocator.get_base_allocator_addr(memory)));
    std::printf("%s_alignment %u\n", name, allocator.get_alignment(type));
}

// Where three buffers lie that live at the same time.
void buffers(const char* name, MeshDevice* device, BufferType type) {
    std::vector<std::shared_ptr<MeshBuffer>> alive;
    std::printf("%s_buffers", name);
    const std::uint64_t shapes[][2] = {{1, 64}, {7, 100}, {200, 2048}};
    for (auto [pages, page_size] : shapes) {
        DeviceLocalBufferConfig local;
        local.page_size = page_size;
        local.buffer_type = type;
        alive.push_back(MeshBuffer::create(ReplicatedBufferConfig{pages * page_size}, local, device, std::nullopt));
        std::printf(" %llu", static_cast<unsigned long long>(alive.back()->address()));
    }
    std::putchar('\n');
}

// Where five circular buffers of a core lie.
void circular_buffers(const MeshDevice* device) {
    Program program;
    const auto& parts = *reinterpret_cast<const std::shared_ptr<detail::ProgramImpl>*>(&program);
    std::vector<CBHandle> made;
    std::uint8_t index = 0;
    for (unsigned size : {96, 64, 16, 2048, 48}) {
        CircularBufferConfig config(size, {{index, tt::DataFormat::UInt32}});
        config.set_page_size(index, size);
        made.push_back(CreateCircularBuffer(program, FIRST, config));
        index++;
    }
    parts->allocate_circular_buffers(reinterpret_cast<const IDevice*>(device));
    std::printf("circular_buffer_places");
    for (auto handle : made) {
        std::printf(" %u", parts->get_circular_buffer(handle)->address());
    }
    std::putchar('\n');
}

}  // namespace

int main() {
    std::ofstream("blank.cpp") << "void kernel_main() {}\n";
    auto device = MeshDevice::create_unit_mesh(0, 0, 0, 1, DispatchCoreConfig{}, {}, 0);
    const auto& allocator = *_ZNK2tt8tt_metal11distributed10MeshDevice9allocatorEv(device.get());
    auto grid = device->compute_with_storage_grid_size();
    std::printf("grid %zu %zu\n", grid.x, grid.y);
    std::printf("tiles");
    for (std::size_t y = 0; y < grid.y; y++) {
        for (std::size_t x = 0; x < grid.x; x++) {
            auto tile = device->worker_core_from_logical_core({x, y});
            std::printf(" %zu %zu", tile.x, tile.y);
        }
    }
    std::putchar('\n');
    memory("dram", allocator, BufferType::DRAM, HalMemType::DRAM);
    memory("l1", allocator, BufferType::L1, HalMemType::L1);
    std::printf("dram_offsets");
    for (std::uint32_t bank = 0; bank < allocator.get_num_banks(BufferType::DRAM); bank++) {
        std::printf(" %lld", static_cast<long long>(allocator.get_bank_offset(BufferType::DRAM, bank)));
    }
    std::printf("\nl1_cores");
    for (std::uint32_t bank = 0; bank < allocator.get_num_banks(BufferType::L1); bank++) {
        auto core = allocator.get_logical_core_from_bank_id(bank);
        std::printf(" %zu %zu", core.x, core.y);
    }
    std::printf("\ncircular_buffers %u\n", hal::get_arch_num_circular_buffers());
    std::printf("largest_packet %u\n", hal::get_noc_max_burst_size_bytes());
    buffers("l1", device.get(), BufferType::L1);
    buffers("dram", device.get(), BufferType::DRAM);
    circular_buffers(device.get());
    Program program;
    std::printf("semaphores %u\n", most(64, [&](unsigned) { CreateSemaphore(program, FIRST, 0); }));
    std::printf("runtime_arguments %u\n", most(1024, [&](unsigned count) {
                    Program own;
                    auto kernel = CreateKernel(own, "blank.cpp", FIRST, DataMovementConfig{});
                    SetRuntimeArgs(own, kernel, FIRST, std::vector<std::uint32_t>(count));
                }));
    device->close();
}

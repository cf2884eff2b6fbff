// A command as users have them: it drives the stand-in, and ends as its first argument says. It is linked as a program and
// as a library that a program loads.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

#include "stand_in.hpp"

using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace {

constexpr std::uint64_t kSize = 64;

std::shared_ptr<MeshDevice> device;

MeshCommandQueue& queue() { return device->mesh_command_queue(0); }

std::shared_ptr<MeshBuffer> buffer(std::uint64_t size = kSize) {
    DeviceLocalBufferConfig local;
    local.page_size = size;
    return MeshBuffer::create(ReplicatedBufferConfig{size}, local, device.get(), std::nullopt);
}

void write(const std::shared_ptr<MeshBuffer>& to, unsigned char byte) {
    unsigned char data[kSize];
    std::memset(data, byte, sizeof data);
    queue().enqueue_write_mesh_buffer(to, data, false);
}

void read(const std::shared_ptr<MeshBuffer>& from) {
    unsigned char data[kSize];
    queue().enqueue_read_mesh_buffer(data, from, true);
    std::printf("read %d\n", data[0]);
}

// Three launches, each on what the one before made. The buffers are the first that the command makes.
void chain(const std::shared_ptr<MeshBuffer>& first) {
    static const char* kernels[] = {"ops/one/device/k.cpp", "ops/two/device/k.cpp", "three.cpp"};
    std::shared_ptr<MeshBuffer> buffers[] = {first, buffer(), buffer(), buffer()};
    write(first, 1);
    for (std::uint32_t at = 0; at < 3; ++at) {
        MeshWorkload workload;
        make_workload(workload, kernels[at], 0x1000 + at * kSize, 0x1000 + (at + 1) * kSize);
        EnqueueMeshWorkload(queue(), workload, false);
    }
    read(buffers[3]);
}

// More than the recorder copies at once. Of the second write, the last part of the data is not there.
void move_much() {
    constexpr std::uint64_t kMuch = (1 << 20) + 100;
    auto large = buffer(kMuch);
    auto data = static_cast<unsigned char*>(
        mmap(nullptr, kMuch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (std::uint64_t at = 0; at < kMuch; ++at) {
        data[at] = static_cast<unsigned char>(at % 251);
    }
    queue().enqueue_write_mesh_buffer(large, data, false);
    queue().enqueue_read_mesh_buffer(data, large, true);
    std::printf("read %d\n", data[kMuch - 1]);
    munmap(data + (1 << 20), 4096);
    stand_in_fails = Failure::WritesNothing;
    queue().enqueue_write_mesh_buffer(large, data, false);
    stand_in_fails = Failure::None;
}

void* of_thread(void*) {
    write(buffer(), 9);
    return nullptr;
}

void waits(Failure failure) {
    stand_in_fails = failure;
    try {
        queue().finish({});
    } catch (const std::exception& error) {
        std::printf("caught %.8s, %d in flight\n", error.what(), std::uncaught_exceptions());
    }
    std::printf("%d in flight\n", std::uncaught_exceptions());
    stand_in_fails = Failure::None;
}

}  // namespace

extern "C" int run_command(char** arguments) {
    std::string how = arguments[1];
    device = MeshDevice::create_unit_mesh(0, 1024, 2048, 1, {}, {}, 4096);
    auto first = buffer();
    if (how == "chains") {
        chain(first);
    } else if (how == "moves_much") {
        move_much();
    } else if (how == "throws") {
        waits(Failure::Throws);
        waits(Failure::ThrowsAgain);
    } else if (how == "floods") {
        for (int count = 0; count < 100; ++count) {
            write(first, 1);
        }
        read(first);
    } else if (how == "writes without a queue") {
        unsigned char data[kSize];
        std::memset(data, 4, sizeof data);
        slow_dispatch::WriteToBuffer(*first->get_reference_buffer(), data);
        read(first);
    } else if (how == "forks") {
        pid_t child = fork();
        if (child == 0) {
            write(first, 3);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        std::printf("child %d\n", status);
    } else if (how == "threads") {
        pthread_t thread;
        pthread_create(&thread, nullptr, of_thread, nullptr);
        pthread_join(thread, nullptr);
    }
    write(first, 2);
    std::fflush(stdout);
    if (how == "aborts") {
        std::abort();
    } else if (how == "crashes") {
        *static_cast<volatile int*>(nullptr) = 0;
    } else if (how == "leaves") {
        _exit(7);
    }
    queue().finish({});
    first.reset();
    device->close();
    return 5;
}

int main(int, char** arguments) { return run_command(arguments); }

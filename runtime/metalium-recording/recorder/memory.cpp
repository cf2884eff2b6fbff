#include "memory.hpp"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace hallmark::recorder {

// The kernel copies: it returns an error where a read of the process's own would end the process.
Copy::Copy(const void* start, std::size_t length) : length_(length) {
    if (length == 0) {
        is_whole_ = true;
        return;
    }
    // Not of the command's heap, whose lock the command may hold; and given back at once.
    void* made = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) {
        return;
    }
    start_ = made;
    std::size_t done = 0;
    while (done < length) {
        iovec to{static_cast<char*>(made) + done, length - done};
        iovec from{static_cast<char*>(const_cast<void*>(start)) + done, length - done};
        ssize_t copied = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
        if (copied < 0 && errno == EINTR) {
            continue;
        }
        if (copied <= 0) {
            return;
        }
        done += static_cast<std::size_t>(copied);
    }
    is_whole_ = true;
}

Copy::~Copy() {
    if (start_ != nullptr) {
        munmap(start_, length_);
    }
}

}  // namespace hallmark::recorder

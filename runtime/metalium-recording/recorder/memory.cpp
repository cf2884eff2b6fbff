#include "memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace hallmark::recorder {

// The kernel copies: it returns an error where a read of the process's own would end the process.
bool copy(void* to, const void* from, std::size_t length) {
    std::size_t done = 0;
    while (done < length) {
        iovec into{static_cast<char*>(to) + done, length - done};
        iovec out_of{static_cast<char*>(const_cast<void*>(from)) + done, length - done};
        ssize_t copied = process_vm_readv(getpid(), &into, 1, &out_of, 1, 0);
        if (copied < 0 && errno == EINTR) {
            continue;
        }
        if (copied <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(copied);
    }
    return true;
}

}  // namespace hallmark::recorder

#include "journal.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "memory.hpp"

namespace hallmark::recorder {
namespace {

// Above what a command's own files usually get, which commands compare, print and close in loops.
constexpr int kLowestDescriptor = 512;

// FNV-1a over little-endian words of eight bytes, the last one filled with zeros: as the prime is odd, a change of any
// one word changes the sum.
class Checksum {
public:
    void add(const void* start, std::size_t length) {
        auto at = static_cast<const unsigned char*>(start);
        for (; length >= 8; at += 8, length -= 8) {
            word(at, 8);
        }
        if (length != 0) {
            word(at, length);
        }
    }
    std::uint64_t value() const { return value_; }

private:
    void word(const unsigned char* at, std::size_t length) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, length);
        value_ = (value_ ^ word) * 0x100000001b3;
    }

    std::uint64_t value_ = 0xcbf29ce484222325;
};

struct Entry {
    Entry(Kind of, std::uint32_t by, const Payload& fields, std::size_t data, const Checksum& content)
        : length(fields.length() + data),
          kind(static_cast<std::uint32_t>(of)),
          thread(by),
          sum_of_content(content.value()),
          payload(fields.length()) {
        Checksum sum;
        sum.add(this, sizeof *this);
        sum_of_entry = sum.value();
    }

    std::uint64_t length;
    std::uint32_t kind;
    std::uint32_t thread;
    // Of the payload and of the data, each filled up to words.
    std::uint64_t sum_of_content;
    std::uint64_t sum_of_entry = 0;
    // Bytes of the payload; the data are the rest.
    std::uint64_t payload;
};
static_assert(sizeof(Entry) == 40);

int raised(int file) {
    int high = fcntl(file, F_DUPFD_CLOEXEC, kLowestDescriptor);
    if (high < 0) {
        return file;
    }
    close(file);
    return high;
}

}  // namespace

Payload::~Payload() { std::free(start_); }

void Payload::bytes(const void* start, std::size_t length) {
    if (length > capacity_ - length_) {
        std::size_t wanted = (length_ + length) * 2 + 256;
        auto grown = static_cast<unsigned char*>(std::realloc(start_, wanted));
        if (grown == nullptr) {
            failed_ = true;
            return;
        }
        start_ = grown;
        capacity_ = wanted;
    }
    if (length != 0) {
        std::memcpy(start_ + length_, start, length);
    }
    length_ += length;
}

void Payload::text(const char* start, std::size_t length) {
    u32(static_cast<std::uint32_t>(length));
    bytes(start, static_cast<std::uint32_t>(length));
}

bool Journal::open(const char* folder, const char* build_id) {
    // The command may change its folder before the file is opened again.
    char whole[PATH_MAX];
    if (realpath(folder, whole) == nullptr) {
        return false;
    }
    char (&path)[sizeof path_] = path_;
    int file = -1;
    // A process that executes another program keeps its number.
    for (int program = 0; program < 1000 && file < 0; ++program) {
        int length = std::snprintf(path, sizeof path, "%s/%d-%d.journal", whole, getpid(), program);
        if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) {
            return false;
        }
        file = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0 && errno != EEXIST) {
            return false;
        }
    }
    if (file < 0) {
        return false;
    }
    file = raised(file);
    unsigned char header[kHeader] = {};
    std::memcpy(header, kMagic, 8);
    std::uint32_t numbers[2] = {kFormat, static_cast<std::uint32_t>(getpid())};
    std::memcpy(header + 8, numbers, sizeof numbers);
    std::size_t length = std::strlen(build_id);
    std::memcpy(header + 16, build_id, length < 64 ? length : 64);
    Checksum sum;
    sum.add(header, kChecked);
    std::uint64_t value = sum.value();
    std::memcpy(header + kChecked, &value, sizeof value);
    auto end = static_cast<std::uint64_t>(End::Running);
    std::memcpy(header + kEndAt, &end, sizeof end);
    std::uint32_t error[2] = {0, ~0u};
    std::memcpy(header + kEndAt + 8, error, sizeof error);
    struct stat status;
    rlimit limit;
    bool fits = getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= kHeader;
    if (!fits || fstat(file, &status) != 0 || pwrite(file, header, kHeader, 0) != static_cast<ssize_t>(kHeader)) {
        close(file);
        unlink(path);
        return false;
    }
    file_ = file;
    device_ = status.st_dev;
    inode_ = status.st_ino;
    size_ = kHeader;
    is_open_ = true;
    return true;
}

// A command may close files that it did not open, and be given the number for a file of its own.
bool Journal::is_own_file() const {
    struct stat status;
    return fstat(file_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

bool Journal::has_file() {
    if (is_own_file()) {
        return true;
    }
    int file = ::open(path_, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    file_ = raised(file);
    if (is_own_file()) {
        return true;
    }
    close(file_);
    file_ = -1;
    return false;
}

bool Journal::takes(const Payload& payload, std::uint64_t length) {
    if (!is_open_) {
        return false;
    }
    if (payload.has_failed()) {
        end(End::Stopped, ENOMEM);
        return false;
    }
    // Beyond the limit the system ends the process by a signal.
    rlimit limit;
    bool is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (is_limited && size_ + sizeof(Entry) + payload.length() + length > limit.rlim_cur) {
        end(End::Stopped, EFBIG);
        return false;
    }
    if (!has_file()) {
        is_open_ = false;
        return false;
    }
    return true;
}

bool Journal::write(iovec* part, int count, std::uint64_t at) {
    while (count > 0) {
        ssize_t written = part->iov_len == 0 ? 0 : pwritev(file_, part, count, static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        // Another thread of the command has closed it in between.
        if (written < 0 && errno == EBADF && has_file()) {
            continue;
        }
        if (written < 0 || (written == 0 && part->iov_len != 0)) {
            end(End::Stopped, written < 0 ? errno : ENOSPC);
            return false;
        }
        at += static_cast<std::uint64_t>(written);
        auto rest = static_cast<std::size_t>(written);
        while (count > 0 && rest >= part->iov_len) {
            rest -= part->iov_len;
            ++part;
            --count;
        }
        if (count > 0) {
            part->iov_base = static_cast<unsigned char*>(part->iov_base) + rest;
            part->iov_len -= rest;
        }
    }
    return true;
}

bool Journal::append(
    Kind kind, std::uint32_t thread, const Payload& payload, const void* data, std::size_t length) {
    if (!takes(payload, length)) {
        return false;
    }
    Checksum content;
    content.add(payload.start(), payload.length());
    content.add(data, length);
    Entry entry(kind, thread, payload, length, content);
    iovec parts[] = {
        {&entry, sizeof entry},
        {const_cast<unsigned char*>(payload.start()), payload.length()},
        {const_cast<void*>(data), length},
    };
    if (!write(parts, 3, size_)) {
        return false;
    }
    size_ += sizeof entry + entry.length;
    return true;
}

Journal::Result Journal::append_memory(
    Kind kind, std::uint32_t thread, const Payload& payload, const void* data, std::size_t length) {
    // Not of the command's heap, whose lock the command may hold.
    static unsigned char piece[1 << 18];
    auto start = static_cast<const unsigned char*>(data);
    if (length <= sizeof piece) {
        if (!copy(piece, start, length)) {
            return Result::Unreadable;
        }
        return append(kind, thread, payload, piece, length) ? Result::Appended : Result::Stopped;
    }
    if (!takes(payload, length)) {
        return Result::Stopped;
    }
    Checksum content;
    content.add(payload.start(), payload.length());
    std::uint64_t at = size_ + sizeof(Entry);
    iovec fields{const_cast<unsigned char*>(payload.start()), payload.length()};
    if (!write(&fields, 1, at)) {
        return Result::Stopped;
    }
    at += payload.length();
    for (std::size_t done = 0; done < length; done += sizeof piece) {
        std::size_t size = length - done < sizeof piece ? length - done : sizeof piece;
        if (!copy(piece, start + done, size)) {
            // What is there already would lie behind a shorter entry.
            return ftruncate(file_, static_cast<off_t>(size_)) == 0 ? Result::Unreadable : stopped(errno);
        }
        content.add(piece, size);
        iovec part{piece, size};
        if (!write(&part, 1, at + done)) {
            return Result::Stopped;
        }
    }
    // Until then an entry without a head stands there, which the reader takes for one that is cut off.
    Entry entry(kind, thread, payload, length, content);
    iovec head{&entry, sizeof entry};
    if (!write(&head, 1, size_)) {
        return Result::Stopped;
    }
    size_ += sizeof entry + entry.length;
    return Result::Appended;
}

Journal::Result Journal::stopped(int error) {
    end(End::Stopped, error);
    return Result::Stopped;
}

void Journal::end(End end, int error) {
    if (!is_open_ || !has_file()) {
        is_open_ = false;
        return;
    }
    is_open_ = end == End::Ended;
    unsigned char bytes[16];
    auto value = static_cast<std::uint64_t>(end);
    std::memcpy(bytes, &value, sizeof value);
    std::uint32_t numbers[2] = {static_cast<std::uint32_t>(error), ~static_cast<std::uint32_t>(error)};
    std::memcpy(bytes + 8, numbers, sizeof numbers);
    // The header was allocated when the file was made, so that a full disk does not matter here.
    [[maybe_unused]] ssize_t written = pwrite(file_, bytes, sizeof bytes, kEndAt);
}

void Journal::note_forked_call() {
    if (has_file()) {
        [[maybe_unused]] ssize_t written = pwrite(file_, kForked, 8, kForkedAt);
    }
}

}  // namespace hallmark::recorder

// The file that a recording is written to.
//
// A header says whose recording it is and how it ended. Entries follow; each is written by one call and not changed
// again, so whatever ends the process leaves all that was begun. `src/journal.rs` reads the file and says its format.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "constants.hpp"

namespace hallmark::recorder {

// The bytes of an entry, little-endian.
class Payload {
public:
    Payload() = default;
    Payload(const Payload&) = delete;
    Payload& operator=(const Payload&) = delete;
    ~Payload();

    void u8(std::uint8_t value) { bytes(&value, sizeof value); }
    void u32(std::uint32_t value) { bytes(&value, sizeof value); }
    void u64(std::uint64_t value) { bytes(&value, sizeof value); }
    void boolean(bool value) { u8(value ? 1 : 0); }
    // Its length, then its bytes.
    void text(const char* start, std::size_t length);
    void text(const std::string& value) { text(value.data(), value.size()); }
    void bytes(const void* start, std::size_t length);

    const unsigned char* start() const { return start_; }
    std::size_t length() const { return length_; }
    bool has_failed() const { return failed_; }

private:
    unsigned char* start_ = nullptr;
    std::size_t length_ = 0;
    std::size_t capacity_ = 0;
    bool failed_ = false;
};

// One file. Whoever calls a function other than `is_open` holds the lock of the recorder's state.
class Journal {
public:
    // A file of its own for each process and each program that a process becomes. False, with nothing left open, if the
    // file cannot be made.
    bool open(const char* folder, const char* build_id);
    // False once the recording has stopped. `data` follows the payload and does not change.
    bool append(Kind kind, std::uint32_t thread, const Payload& payload, const void* data, std::size_t length);
    // The same with data that may change or be freed meanwhile. What is checked is what is written, and no more than a
    // piece of the data is in memory twice. `Unreadable` leaves no entry.
    enum class Result { Appended, Unreadable, Stopped };
    Result append_memory(Kind kind, std::uint32_t thread, const Payload& payload, const void* data, std::size_t length);
    void end(End end, int error);
    // Said by a forked child, which must not write entries: the parent appends at the same time.
    void note_forked_call();
    bool is_open() const { return is_open_; }

private:
    bool is_own_file() const;
    // The same, after the file was opened again if its descriptor was closed.
    bool has_file();
    // Whether an entry can be written. Otherwise the recording has stopped.
    bool takes(const Payload& payload, std::uint64_t length);
    // Writes all of some parts, which it changes. False if the recording has stopped.
    bool write(iovec* parts, int count, std::uint64_t at);
    Result stopped(int error);

    char path_[4096] = {};
    int file_ = -1;
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
    std::uint64_t size_ = 0;
    bool is_open_ = false;
};

}  // namespace hallmark::recorder

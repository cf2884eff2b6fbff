// The file that a recording is written to.
//
// A header says whose recording it is and how it ended. Entries follow; each is written by one call and not changed
// again, so whatever ends the process leaves all that was begun. `src/journal.rs` reads the file and says its format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hallmark::recorder {

// What an entry holds. `src/journal/events.rs` has the same numbers.
enum class Kind : std::uint32_t {
    LibraryLoaded = 1,
    DeviceOpened = 2,
    DeviceClosed = 3,
    BufferAllocated = 4,
    BufferFreed = 5,
    Written = 6,
    ReadBegun = 7,
    ReadCompleted = 8,
    ProgramDescribed = 9,
    BindingsGenerated = 10,
    ProgramEnqueued = 11,
    ProgramDestroyed = 12,
    Finish = 13,
    EventRecorded = 14,
    EventWaitedFor = 15,
    EventSynchronized = 16,
    EventQueried = 17,
    TraceBegun = 18,
    TraceEnded = 19,
    TraceReplayed = 20,
    TraceReleased = 21,
    CallThrew = 22,
    Unfollowed = 23,
    ProcessEnded = 24,
    CutBegun = 25,
    CutEnded = 26,
    ContentsReadBack = 27,
};

// How a recording ended, as the header says it.
enum class End : std::uint64_t {
    Running = 0x20474e494e4e5552,  // "RUNNING "
    Ended = 0x2020204445444e45,    // "ENDED   "
    Stopped = 0x20444550504f5453,  // "STOPPED "
    Refused = 0x2044455355464552,  // "REFUSED "
};

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
    void end(End end, int error);
    // Said by a forked child, which must not write entries: the parent appends at the same time.
    void note_forked_call();
    bool is_open() const { return is_open_; }

private:
    bool is_own_file() const;
    // The same, after the file was opened again if its descriptor was closed.
    bool has_file();

    char path_[4096] = {};
    int file_ = -1;
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
    std::uint64_t size_ = 0;
    bool is_open_ = false;
};

}  // namespace hallmark::recorder

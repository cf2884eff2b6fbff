// The calls that are hooked, the threads that make them, and what the recorder knows of the process.
#pragma once

#include <cstddef>
#include <cstdint>

#include "journal.hpp"
#include "library.hpp"

namespace hallmark::recorder {

// A hooked call under way. The trampolines fill the first part and lie it on the caller's stack.
struct Call {
    // Arguments, as the System V ABI passes them, in the order rdi, rsi, rdx, rcx, r8, r9.
    std::uint64_t argument[6];
    std::uint64_t rax;
    std::uint64_t unused;
    unsigned char vectors[8][16];
    // What the call returned: rax, rdx.
    std::uint64_t result[2];
    unsigned char result_vectors[2][16];
    // Of the hook.
    std::uint64_t index;
    // Arguments that are passed in memory.
    const std::uint64_t* stack;

    // The rest is the recorder's.
    Call* outer;
    bool is_followed;
    bool suppresses;
    bool is_ordered;
    // An event stands in the journal for it.
    bool is_begun;
    // Set by what comes before the call: the call may wait for the device or for other threads.
    bool blocks;
    // An exception ended what comes before or after the call.
    bool has_failed;
    std::uint64_t scratch[4];

    template <typename T>
    T* pointer(int index) const {
        return reinterpret_cast<T*>(argument[index]);
    }
};
static_assert(offsetof(Call, vectors) == 64);
static_assert(offsetof(Call, result) == 192);
static_assert(offsetof(Call, result_vectors) == 208);
static_assert(offsetof(Call, index) == 240);
static_assert(offsetof(Call, stack) == 248);
static_assert(sizeof(Call) <= 400);

// What a hook does.
struct Handler {
    void (*before)(Call&);
    void (*after)(Call&);
    // Calls that it makes are its own doing and not recorded.
    bool suppresses = false;
    // No other thread's call comes between its event and its end, unless it blocks.
    bool is_ordered = false;
    // It is also followed inside other calls.
    bool always = false;
};

// A hook by its symbol.
struct Hook {
    const char* symbol;
    const Handler* handler;
    // What is not followed where the handler ends with an exception.
    const char* unrecorded;
    // The place of the argument `blocking` among those in registers.
    int blocking;

    static constexpr int kNowhere = -1;
};
extern const Hook hooks[];
extern const std::size_t hook_count;

// Holds the lock of the recorder's state: a leaf, under which nothing of the vendor's is called.
class StateLock {
public:
    StateLock();
    StateLock(const StateLock&) = delete;
    StateLock& operator=(const StateLock&) = delete;
    ~StateLock();
};

// Appends an entry of the calling thread. The caller holds the lock. `data` does not change until the return.
void append(Kind kind, const Payload& payload, const void* data = nullptr, std::size_t length = 0);
// The same with data in the command's memory. False if it cannot be read: there is no entry then.
bool append_memory(Kind kind, const Payload& payload, const void* data, std::size_t length);
// The same for the event that stands for a call, so that its exception is recorded.
void append_call(Call& call, Kind kind, const Payload& payload);
// Says once that the recorder cannot follow something: `what` is a subject, as "a second device".
void unfollowed(const char* what);
// Whether what a thread does by itself may be what a call in another thread has it do.
bool may_be_work_for_a_call();
// Gives the lock of the order back, whichever call of this thread holds it: what follows waits.
void release_order();
// Whether the call has an argument `blocking`, and it is true.
bool is_told_to_block(const Call& call);
// The vendor's function that is hooked. Ends the process if no library has it.
void* real_of(const Call& call);

}  // namespace hallmark::recorder

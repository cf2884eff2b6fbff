// One word at a time from one compute thread to another, through the mailboxes between cores.
//
// A mailbox holds one value here although hardware holds four in aggregate: a sender that runs ahead
// of its receiver stalls. Reading an empty one stalls the core.
#pragma once

#include "api/compute/common.h"

namespace hallmark {

// Compute threads are cores 1 to 3 of the mailboxes, BRISC is 0.
enum class Thread : uint32_t { kUnpack = 1, kMath = 2, kPack = 3 };

ALWI volatile uint32_t& thread_mailbox(Thread other) {
    return register_at(kCoreMailbox + static_cast<uint32_t>(other) * kCoreMailboxStride);
}

ALWI void send(Thread to, uint32_t value) { thread_mailbox(to) = value; }

ALWI uint32_t receive(Thread from) { return thread_mailbox(from); }

// What UNPACK passes in comes out on all three threads.
ALWI uint32_t broadcast_from_unpack(uint32_t value) {
    UNPACK({
        send(Thread::kMath, value);
        send(Thread::kPack, value);
    })
    MATH(value = receive(Thread::kUnpack);)
    PACK(value = receive(Thread::kUnpack);)
    return value;
}

}  // namespace hallmark

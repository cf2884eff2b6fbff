// BRISC: brings the other four cores up, then runs launches.

#include "bring_up.h"
#include "dispatch_abi.h"
#include "firmware.h"
#include "firmware_profiler.h"
#include "hallmark/noc.h"

// This tile on either NoC, as the last launch said.
uint8_t my_x[2];
uint8_t my_y[2];

namespace hallmark {
namespace {

constexpr uint32_t kSubordinates = 4;

// The load/store unit may reorder accesses to different memories (ISA documentation, memory ordering):
// loading the word back and using it keeps what follows behind the store.
void store_first(volatile uint32_t& word, uint32_t value) {
    word = value;
    const uint32_t back = word;
    asm volatile("addi x0, %0, 0" : : "r"(back) : "memory");
}

void reset_circular_buffers() {
    for (uint32_t index = 0; index < kCircularBuffers; ++index) {
        register_at(cb_received_register(index)) = 0;
        register_at(cb_acknowledged_register(index)) = 0;
    }
}

void boot() {
    mailbox(kMailboxDone) = 0;
    for (uint32_t core = 1; core <= kSubordinates; ++core) {
        mailbox(kMailboxStart + 4 * core) = 0;
        store_first(mailbox(kMailboxFinished + 4 * core), 0);
    }
    reset_circular_buffers();
    release_others();
    for (uint32_t core = 1; core <= kSubordinates; ++core) {
        wait_until(mailbox(kMailboxFinished + 4 * core), kBootReady);
    }
    store_first(mailbox(kMailboxAbi), kLaunchAbi);
    mailbox(kMailboxBootStatus) = kBootReady;
}

// Tells a dispatcher that the launch is done. Kernels count responses from what they find: none may come
// while the next one runs.
void report_done(uint32_t block, uint32_t tile) {
    constexpr uint32_t kNoc0 = 0;
    constexpr uint32_t kChannel = 1;
    const uint32_t noc_xy = launch_word(block, kLaunchNocXy);
    my_x[kNoc0] = noc_xy & 0xFF;
    my_y[kNoc0] = (noc_xy >> 16) & 0xFF;
    const uint32_t address = mailbox(kMailboxCompletionAddress);
    const uint64_t target = (static_cast<uint64_t>(tile << kNocUpperAddressBits) << 32) | address;
    const uint32_t responses = noc_status(kNoc0, kNocAtomicResponses);
    set_transaction(kNoc0, kAtomicBuffer, 0);
    noc_register(kNoc0, kAtomicBuffer, kNocData) = 1;
    noc_issue(kNoc0, kAtomicBuffer,
              {low(target), upper(target), launch_word(block, kLaunchAtomicReturn), own_tile(kNoc0),
               kControlAtomic | kControlResponse | control_vc(kChannel),
               kAtomicIncrement | ((address >> 2) & 3)});
    wait_for_count(kNoc0, kNocAtomicResponses, responses + 1);
}

#ifdef PROFILE_KERNEL
// Moves what the processors of a launch have marked to DRAM, where the host reads it when it likes.
void push_markers(uint32_t block, uint32_t processors) {
    constexpr uint32_t kNoc0 = 0;
    constexpr uint32_t kChannel = 1;
    const uint32_t noc_xy = launch_word(block, kLaunchNocXy);
    my_x[kNoc0] = noc_xy & 0xFF;
    my_y[kNoc0] = (noc_xy >> 16) & 0xFF;
    const uint64_t dram =
        (static_cast<uint64_t>(profiler_control(kProfilerDramTile) << kNocUpperAddressBits) << 32) |
        profiler_control(kProfilerDramAddress);
    for (uint32_t processor = 0; processor < kProfilerProcessors; ++processor) {
        // BRISC's firmware works for every launch.
        if (processor != 0 && (processors & (1u << processor)) == 0) {
            continue;
        }
        const uint32_t words = profiler_control(kProfilerInL1 + processor);
        const uint32_t before = profiler_control(kProfilerInDram + processor);
        const uint32_t padded =
            (words + kProfilerDramAlignmentWords - 1) / kProfilerDramAlignmentWords * kProfilerDramAlignmentWords;
        profiler_word(processor, kProfilerHeaderLaunch) = profiler_control(kProfilerLaunches);
        profiler_word(processor, kProfilerHeaderDropped) = profiler_control(kProfilerDropped + processor);
        store_first(profiler_word(processor, kProfilerHeaderWords), words);
        store_first(profiler_control(kProfilerInL1 + processor), 0);
        // The host sees that a launch is missing.
        if (before + padded > kProfilerDramWords) {
            continue;
        }
        const uint64_t to = dram + 4 * (processor * kProfilerDramWords + before);
        const uint32_t acknowledged = noc_status(kNoc0, kNocWriteAcks);
        set_transaction(kNoc0, kWriteBuffer, 0);
        noc_issue(kNoc0, kWriteBuffer,
                  {reinterpret_cast<uint32_t>(&profiler_word(processor, 0)), own_tile(kNoc0), low(to), upper(to),
                   kControlWrite | kControlResponse | control_vc(kChannel), 4 * padded});
        wait_for_count(kNoc0, kNocWriteAcks, acknowledged + 1);
        profiler_control(kProfilerInDram + processor) = before + padded;
    }
}

void count_launch() { store_first(profiler_control(kProfilerLaunches), profiler_control(kProfilerLaunches) + 1); }
#else
void push_markers(uint32_t, uint32_t) {}
void count_launch() {}
#endif

void launch(uint32_t number) {
    count_launch();
    profile_launch_begins();
    const uint32_t block = mailbox(kMailboxLaunchBlock);
    const uint32_t processors = launch_word(block, kLaunchProcessors);
    // Kernels are new words in L1, and no cache is coherent with it.
    write_config(kConfigInvalidateCaches, kAllCores);
    if (launch_word(block, kLaunchCircularBufferCount) != 0) {
        reset_circular_buffers();
    }
    for (uint32_t core = 1; core <= kSubordinates; ++core) {
        if (processors & (1u << core)) {
            mailbox(kMailboxStart + 4 * core) = number;
        }
    }
    if (processors & 1u) {
        run_kernel(block);
    }
    for (uint32_t core = 1; core <= kSubordinates; ++core) {
        if (processors & (1u << core)) {
            wait_until(mailbox(kMailboxFinished + 4 * core), number);
        }
    }
    profile_launch_ends();
    push_markers(block, processors);
    store_first(mailbox(kMailboxDone), number);
    const uint32_t dispatcher = mailbox(kMailboxCompletionTile);
    if (dispatcher != 0) {
        report_done(block, dispatcher);
    }
}

}  // namespace
}  // namespace hallmark

extern "C" void firmware_main() {
    using namespace hallmark;
    configure_core();
    boot();
    for (uint32_t last = 0;;) {
        last = wait_for_change(mailbox(kMailboxGo), last);
        launch(last);
    }
}

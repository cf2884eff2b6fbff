// BRISC: brings the other four cores up, then runs launches.

#include "bring_up.h"
#include "dispatch_abi.h"
#include "firmware.h"
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

void launch(uint32_t number) {
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

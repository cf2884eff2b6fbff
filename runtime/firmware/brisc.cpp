// BRISC: brings the other four cores up, then runs launches.

#include "bring_up.h"
#include "firmware.h"

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
    mailbox(kMailboxDone) = number;
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

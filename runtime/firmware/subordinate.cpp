// NCRISC and the three TRISCs: run what BRISC starts.

#include "bring_up.h"
#include "firmware.h"
#include "firmware_profiler.h"

extern "C" void firmware_main() {
    using namespace hallmark;
    configure_core();
    volatile uint32_t& start = mailbox(kMailboxStart + 4 * PROCESSOR_INDEX);
    volatile uint32_t& finished = mailbox(kMailboxFinished + 4 * PROCESSOR_INDEX);
    finished = kBootReady;
    for (uint32_t last = 0;;) {
        last = wait_for_change(start, last);
        profile_launch_begins();
        run_kernel(mailbox(kMailboxLaunchBlock));
        profile_launch_ends();
        finished = last;
    }
}

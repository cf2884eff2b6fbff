// A kernel ends when the coprocessor has executed all that its threads have pushed. TT-Metalium's firmware waits for that
// behind kernel_main; here kernel_main does, since kernels without the coprocessor do not.
#pragma once

#include "api/compute/thread.h"
#include "hallmark/coprocessor.h"
#ifdef TRISC_PACK
#include "hallmark/pack_thread.h"
#endif

namespace hallmark {

// The next kernel on this tile begins with sections that are free: upstream's waits for that and would wait for ever.
FORCE_INLINE void end_compute_kernel() {
#ifdef TRISC_PACK
    HALLMARK_REQUIRE(held_sections == 0, "the kernel ends, and PACK has not released a section of Dst: call tile_regs_wait and tile_regs_release after each tile_regs_commit");
#endif
    finish_pushed();
}

}  // namespace hallmark

#define kernel_main()                   \
    compute_kernel_main();              \
    void kernel_main() {                \
        compute_kernel_main();          \
        hallmark::end_compute_kernel(); \
    }                                   \
    void compute_kernel_main()

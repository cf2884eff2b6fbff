// A kernel ends when the coprocessor has executed all that its threads have pushed. TT-Metalium's firmware waits for that
// behind kernel_main; here kernel_main does, since kernels without the coprocessor do not.
#pragma once

#include "hallmark/coprocessor.h"

#define kernel_main()               \
    compute_kernel_main();          \
    void kernel_main() {            \
        compute_kernel_main();      \
        hallmark::finish_pushed();  \
    }                               \
    void compute_kernel_main()

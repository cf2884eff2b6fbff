// Stores its runtime arguments' sum, or without any its compile-time argument, to a place in L1.
#include "api/compile_time_args.h"

void kernel_main() {
    *reinterpret_cast<volatile uint32_t*>(get_compile_time_arg_val(0)) = get_compile_time_arg_val(1);
}

// Wants more room in a circular buffer than it has.
// Compile-time arguments: 0 circular buffer.
// Runtime arguments: 0 pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() { cb_reserve_back(get_compile_time_arg_val(0), get_arg_val<uint32_t>(0)); }

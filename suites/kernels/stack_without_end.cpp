// Calls itself for ever, and uses some of its stack each time.
// Runtime arguments: 0 first depth.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

namespace {

__attribute__((noinline)) uint32_t dive(uint32_t depth) {
    volatile uint32_t here[8];
    here[depth % 8] = depth;
    // The depth comes round to 0 long after the stack has ended.
    return depth == 0 ? 0 : dive(depth + 1) + here[depth % 8];
}

}  // namespace

void kernel_main() { static_cast<void>(dive(get_arg_val<uint32_t>(0))); }

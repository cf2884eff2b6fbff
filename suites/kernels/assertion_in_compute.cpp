// hallmark-only: PACK stores a word, without the Tensix coprocessor.
// Each compute thread asserts that a number is not its own; PACK stores the number that follows.
// Runtime arguments: 0 number, 1 L1 address of the result.

#include <cstdint>

#include "api/compute/common.h"
#include "api/debug/assert.h"

void kernel_main() {
    const uint32_t number = get_arg_val<uint32_t>(0);
    UNPACK(ASSERT(number != 0));
    MATH(ASSERT(number != 1));
    PACK(ASSERT(number != 2));
    PACK(*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(1)) = number + 1);
}

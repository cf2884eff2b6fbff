// hallmark-only: PACK stores a word, without the Tensix coprocessor.
// Each compute thread prints its number, and PACK stores 5.
// Runtime arguments: 0 L1 address of the result.

#include <cstdint>

#include "api/compute/common.h"
#include "api/debug/dprint.h"

void kernel_main() {
    DPRINT("thread {}\n", COMPILE_FOR_TRISC);
    DPRINT_UNPACK("UNPACK\n");
    DPRINT_MATH("{}\n", CTSTR("MATH"));
    DPRINT_PACK("{:s}\n", CTSTR("PACK"));
    PACK(*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0)) = 5);
}

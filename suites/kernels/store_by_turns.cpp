// Stores the numbers from 1 on to a buffer, 32 bytes apart. Each turn loads the buffer's address anew from its argument.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile uint32_t* arguments = reinterpret_cast<volatile uint32_t*>(get_arg_addr(0));
    for (uint32_t turn = 0; turn < arguments[1]; ++turn) {
        volatile uint32_t* words = reinterpret_cast<volatile uint32_t*>(arguments[0]);
        words[8 * turn] = turn + 1;
        while (words[8 * turn] != turn + 1) {
        }
    }
}

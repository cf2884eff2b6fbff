// Executes a word that is no instruction of RV32IM: a 64-bit load.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() { asm volatile(".word 0x00053503"); }

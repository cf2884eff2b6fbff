// Executes the word INSTRUCTION, whatever it is.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)

void kernel_main() { asm volatile(".word " TEXT_OF(INSTRUCTION) : : : "memory"); }

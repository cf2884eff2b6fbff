// Attributes of pointers to L1 and registers, which are empty for this compiler.
#pragma once

#include "hallmark/kernel_state.h"

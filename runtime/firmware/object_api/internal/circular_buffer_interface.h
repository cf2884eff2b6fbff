// The state of circular buffers that kernels may look at.
#pragma once

#include "hallmark/kernel_state.h"

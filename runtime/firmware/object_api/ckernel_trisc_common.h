// What the threads of compute kernels have in common.
#pragma once

#include "ckernel.h"

// Where TT-Metalium had its header before it moved to api/debug.
#pragma once

#include "api/debug/kernel_profiler.hpp"

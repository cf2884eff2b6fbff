// A condition that kernels with assertions check, and of which other kernels have no code. `api/debug/assert.h` precedes
// the first header of a kernel with assertions.
#pragma once

#ifdef ASSERT_ENABLED
#define HALLMARK_BOUND(condition) ASSERT(condition)
#else
#define HALLMARK_BOUND(condition)
#endif

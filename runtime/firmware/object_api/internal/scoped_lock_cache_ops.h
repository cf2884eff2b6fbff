// What a lock does to caches: nothing, as no data cache of these chips outlasts `invalidate_l1_cache`.
#pragma once

#include <stdint.h>

#include "hallmark/kernel_state.h"

FORCE_INLINE void scoped_lock_acquire_cache_ops(uintptr_t, uint32_t) {}
FORCE_INLINE void scoped_lock_release_cache_ops(uintptr_t, uint32_t) {}

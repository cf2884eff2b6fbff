// What every source of the vendor's needs of the vendor's compiler.
#pragma once

#include "vector/tensix_word.h"

// Upstream's headers have `static_assert(false)` in templates, which gcc takes for an error before release 13 wherever the
// template stands. Assertions change no code.
#ifdef __cplusplus
#define static_assert(...)
#endif

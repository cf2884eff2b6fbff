// Which entries of a dataflow buffer each thread of its producer or consumer takes. On these chips there is one thread.
#pragma once

#include <stdint.h>

namespace dfb {

enum AccessPattern : uint8_t { STRIDED, ALL, BLOCKED, UNKNOWN };

}  // namespace dfb

class DataflowBuffer;

// Of whatever patterns: here they make no difference.
using DataflowBufferAnyPattern = DataflowBuffer;

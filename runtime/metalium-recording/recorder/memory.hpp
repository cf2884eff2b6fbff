// The memory of the command.
#pragma once

#include <cstddef>

namespace hallmark::recorder {

// Copies memory that the command may change or free at any time. False if it cannot be read.
bool copy(void* to, const void* from, std::size_t length);

}  // namespace hallmark::recorder

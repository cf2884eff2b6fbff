// The clock of a tile, which counts instructions on simulators that retire one a tick.
#pragma once

#include <cstdint>

inline uint32_t clock_now() { return *reinterpret_cast<volatile uint32_t*>(0xFFB121F0); }

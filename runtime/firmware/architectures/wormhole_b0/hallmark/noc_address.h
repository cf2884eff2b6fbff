// How NoC addresses stand in registers: 36 bits inside the tile, then the coordinates.
// Source: tt-isa-documentation, WormholeB0, NoC/MemoryMap.md and NoC/Coordinates.md.
#pragma once

#include "hallmark/noc_registers.h"

namespace hallmark {

// Columns and rows, to mirror raw coordinates for NoC 1; from these on coordinates are translated.
inline constexpr uint32_t kNocColumns = 10;
inline constexpr uint32_t kNocRows = 12;
inline constexpr uint32_t kNocFirstTranslated = 16;

// Bits of an address inside a tile that stand above its low word.
inline constexpr uint32_t kNocUpperAddressBits = 4;

// What stands above the low word of an address.
using NocUpper = uint32_t;

FORCE_INLINE NocUpper upper(uint64_t noc_address) { return static_cast<uint32_t>(noc_address >> 32); }

FORCE_INLINE NocUpper own_tile(uint32_t noc) {
    return (static_cast<uint32_t>(my_x[noc]) << 4) | (static_cast<uint32_t>(my_y[noc]) << 10);
}

FORCE_INLINE void set_target_upper(uint32_t noc, uint32_t buffer, NocUpper upper) {
    noc_register(noc, buffer, kNocTargetMiddle) = upper;
}

// The word with the coordinates alone, as it stands in the register.
FORCE_INLINE void set_target_coordinates(uint32_t noc, uint32_t buffer, uint32_t word) {
    noc_register(noc, buffer, kNocTargetMiddle) = word;
}

FORCE_INLINE void set_return_upper(uint32_t noc, uint32_t buffer, NocUpper upper) {
    noc_register(noc, buffer, kNocReturnMiddle) = upper;
}

// Raw coordinates count from the opposite corner on NoC 1; translated ones are the same on both.
FORCE_INLINE uint32_t noc_x_on(uint32_t x, uint32_t noc) {
    return noc == 0 || x >= kNocFirstTranslated ? x : kNocColumns - 1 - x;
}

FORCE_INLINE uint32_t noc_y_on(uint32_t y, uint32_t noc) {
    return noc == 0 || y >= kNocFirstTranslated ? y : kNocRows - 1 - y;
}

}  // namespace hallmark

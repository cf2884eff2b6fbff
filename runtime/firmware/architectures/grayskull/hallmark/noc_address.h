// How NoC addresses stand in registers: 32 bits inside the tile, then a word for the coordinates.
// Source: tt-metal at v0.55, hw/inc/grayskull/noc/noc_parameters.h and noc_nonblocking_api.h.
#pragma once

#include "hallmark/noc_registers.h"

namespace hallmark {

// Columns and rows, to mirror coordinates for NoC 1.
inline constexpr uint32_t kNocColumns = 13;
inline constexpr uint32_t kNocRows = 12;

// Bits of an address inside a tile that stand above its low word.
inline constexpr uint32_t kNocUpperAddressBits = 0;

// What stands above the low word of an address.
using NocUpper = uint32_t;

FORCE_INLINE NocUpper upper(uint64_t noc_address) { return static_cast<uint32_t>(noc_address >> 32); }

FORCE_INLINE NocUpper own_tile(uint32_t noc) {
    return static_cast<uint32_t>(my_x[noc]) | (static_cast<uint32_t>(my_y[noc]) << 6);
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

// Nothing is translated: every coordinate counts from the opposite corner on NoC 1. Programs name tiles
// as on NoC 0.
FORCE_INLINE uint32_t noc_x_on(uint32_t x, uint32_t noc) { return noc == 0 ? x : kNocColumns - 1 - x; }

FORCE_INLINE uint32_t noc_y_on(uint32_t y, uint32_t noc) { return noc == 0 ? y : kNocRows - 1 - y; }

}  // namespace hallmark

// How NoC addresses stand in registers: two words inside the tile and one for the coordinates.
// Source: tt-metal, blackhole/noc/noc_parameters.h. Kernels write addresses as on Wormhole, with 36 bits
// inside the tile; bit 60, above the coordinates, is the one that the PCIe tile needs besides.
#pragma once

#include "hallmark/noc_registers.h"

namespace hallmark {

// Bits of an address inside a tile that stand above its low word.
inline constexpr uint32_t kNocUpperAddressBits = 4;

// What stands above the low word of an address.
struct NocUpper {
    uint32_t middle;
    uint32_t tile;
};

FORCE_INLINE NocUpper upper(uint64_t noc_address) {
    return {static_cast<uint32_t>(noc_address >> 32) & 0x1000'000F,
            static_cast<uint32_t>(noc_address >> 36) & 0xFF'FFFF};
}

FORCE_INLINE NocUpper own_tile(uint32_t noc) {
    return {0, static_cast<uint32_t>(my_x[noc]) | (static_cast<uint32_t>(my_y[noc]) << 6)};
}

FORCE_INLINE void set_target_upper(uint32_t noc, uint32_t buffer, NocUpper upper) {
    noc_register(noc, buffer, kNocTargetMiddle) = upper.middle;
    noc_register(noc, buffer, kNocTargetHigh) = upper.tile;
}

// The word with the coordinates alone, as it stands in the register.
FORCE_INLINE void set_target_coordinates(uint32_t noc, uint32_t buffer, uint32_t word) {
    noc_register(noc, buffer, kNocTargetHigh) = word;
}

FORCE_INLINE void set_return_upper(uint32_t noc, uint32_t buffer, NocUpper upper) {
    noc_register(noc, buffer, kNocReturnMiddle) = upper.middle;
    noc_register(noc, buffer, kNocReturnHigh) = upper.tile;
}

// Every coordinate is translated, and the same on both networks.
FORCE_INLINE uint32_t noc_x_on(uint32_t x, uint32_t) { return x; }

FORCE_INLINE uint32_t noc_y_on(uint32_t y, uint32_t) { return y; }

}  // namespace hallmark

// MATH: rows of a tile in Dst, each in a vector register.
#pragma once

#include "hallmark/numbered_registers.h"

namespace hallmark {

// The vectors of four rows of a tile: even and odd columns of the left face, and of the right one.
inline constexpr uint32_t kVectorsOfRows[] = {0, 2, 16, 18};

// The row of Dst, of a tile's own, with which four rows begin.
constexpr uint32_t place_of_row(uint32_t row) { return row / kFaceRows * 2 * kFaceRows + row % kFaceRows; }

// Four rows of a tile, from `row` on, into the registers 0 to 3, of which each has a row. The others stay as they are.
FORCE_INLINE void load_four_rows(uint32_t row) {
    const uint32_t place = place_of_row(row);
    transpose_registers();
    load_rows<0>(place + kVectorsOfRows[0]);
    load_rows<1>(place + kVectorsOfRows[1]);
    load_rows<2>(place + kVectorsOfRows[2]);
    load_rows<3>(place + kVectorsOfRows[3]);
    transpose_registers();
}

// Four registers into rows of a tile.
template <uint32_t kFirst>
FORCE_INLINE void store_four_rows(uint32_t place) {
    store_rows<kFirst>(place + kVectorsOfRows[0]);
    store_rows<kFirst + 1>(place + kVectorsOfRows[1]);
    store_rows<kFirst + 2>(place + kVectorsOfRows[2]);
    store_rows<kFirst + 3>(place + kVectorsOfRows[3]);
}

}  // namespace hallmark

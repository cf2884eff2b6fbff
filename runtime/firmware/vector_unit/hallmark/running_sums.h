// MATH: sums of the rows of a tile in Dst up to each row. Between the calls, a register of the vector unit holds the last one.
#pragma once

#include "hallmark/rows_of_tiles.h"

namespace hallmark {

inline constexpr uint32_t kRunningSum = 5;

// Each row becomes the sum of all rows up to it, and those of the tiles before. As under TT-Metalium, a Dst of 16 bits cuts it off.
FORCE_INLINE void add_up_rows(uint32_t index, bool begins) {
    begin_numbered(index);
    if (begins) {
        clear<kRunningSum>();
    }
    for (uint32_t row = 0; row < kTileColumns; row += 4) {
        load_four_rows(row);
        add_to<kRunningSum, 0>();
        add_to<0, 1>();
        add_to<1, 2>();
        add_to<2, 3>();
        move<3, kRunningSum>();
        transpose_registers();
        store_four_rows<0>(place_of_row(row));
        // Back again, for the registers 4 to 7.
        transpose_registers();
    }
    end_numbered();
}

}  // namespace hallmark

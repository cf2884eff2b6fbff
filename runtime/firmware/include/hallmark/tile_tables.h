// The tiles of circular buffers, by index, as the host states them: HALLMARK_TILES is a list of
// {index, format, bytes, rows, columns}. An index that it leaves out has no tiles, and its numbers are 0.
#pragma once

#include <stdint.h>

#include "tensix_types.h"

#ifdef HALLMARK_TILES

namespace hallmark {

struct TilesOfBuffer {
    uint8_t index;
    uint8_t format;
    uint16_t bytes;
    uint8_t rows;
    uint8_t columns;
};
inline constexpr TilesOfBuffer kTiles[] = {HALLMARK_TILES};

template <auto kMember>
struct TileTable {
    constexpr auto operator[](uint32_t index) const {
        for (const TilesOfBuffer& tiles : kTiles) {
            if (tiles.index == index) {
                return tiles.*kMember;
            }
        }
        return decltype(kTiles[0].*kMember){};
    }
};

}  // namespace hallmark

// By the names of the tables that upstream generates for each kernel.
inline constexpr hallmark::TileTable<&hallmark::TilesOfBuffer::format> unpack_src_format{};
inline constexpr hallmark::TileTable<&hallmark::TilesOfBuffer::bytes> unpack_tile_size{};
inline constexpr hallmark::TileTable<&hallmark::TilesOfBuffer::rows> unpack_tile_r_dim{};
inline constexpr hallmark::TileTable<&hallmark::TilesOfBuffer::columns> unpack_tile_c_dim{};

constexpr DataFormat get_dataformat(uint32_t operand) { return static_cast<DataFormat>(unpack_src_format[operand]); }
constexpr uint32_t get_tile_hw(uint32_t operand) {
    return uint32_t{unpack_tile_r_dim[operand]} * unpack_tile_c_dim[operand];
}

#endif

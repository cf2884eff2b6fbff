// The formats of circular buffers as the units take them. The host states them when the kernel is built.
#pragma once

#include "hallmark/kernel_state.h"
#include "hallmark/misuse.h"
#include "hallmark/tile_tables.h"

#ifndef HALLMARK_TILES
#error "a compute kernel needs circular buffers with a data_format on its cores, created in the same program"
#endif

// Wrong use that is known when the kernel is built. The compiler prints the text beside the line of the call.
namespace hallmark {

[[gnu::error("this index has no circular buffer with a data_format on the kernel's cores")]] void no_circular_buffer();
[[gnu::error("the tiles of this circular buffer do not consist of whole faces of 16 by 16: 32 by 32, 16 by 32, 32 by 16 and 16 by "
             "16 do, but blocks with a common exponent only fill tiles of 32 by 32")]] void no_whole_faces();
[[gnu::error("this operation works on tiles of 32 by 32; copies, and sums, differences and products of elements, also on smaller "
             "ones")]] void no_whole_tiles();
[[gnu::error("the tiles of these circular buffers have different shapes")]] void different_shapes();
[[gnu::error("the compute API does not compute in the data_format of this circular buffer")]] void no_known_format();
[[gnu::error("the unpackers and packers only copy integers: the compute API does not compute in the data_format of this circular "
             "buffer")]] void only_copied();
[[gnu::error("int32, uint32, int8 and uint8 need fp32_dest_acc_en, and uint16 has no room beside it")]] void other_width_of_dst();
[[gnu::error("the exponents of these circular buffers' formats have different widths: float16, bfp8, bfp4 and bfp2 have 5 "
             "bits, all other formats 8, and the units do not convert between the two")]] void exponents_of_two_widths();
[[gnu::error("the rows of a matrix in this circular buffer's data_format cannot be read or written one by one: those of bfp8, "
             "bfp4 and bfp2 have common exponents")]] void no_rows();
[[gnu::error("this tile index is beyond Dst, which has 8 tiles: 4 with fp32_dest_acc_en, and twice as many with "
             "dst_full_sync_en")]] void tile_beyond_dst();

struct OperandTable {
    TilesOfBuffer of[64];
};

constexpr OperandTable operand_table() {
    OperandTable table{};
    for (const TilesOfBuffer& tiles : kTiles) {
        table.of[tiles.index] = tiles;
    }
    return table;
}
inline constexpr OperandTable kOperands = operand_table();

constexpr DataFormat format_of(uint32_t cb_id) { return static_cast<DataFormat>(kOperands.of[cb_id].format); }

// The faces of a tile.
constexpr uint32_t faces_of(uint32_t cb_id) {
    return uint32_t{kOperands.of[cb_id].rows} * kOperands.of[cb_id].columns / 256;
}

constexpr bool has_small_tiles() {
    for (const TilesOfBuffer& tiles : kTiles) {
        if (tiles.rows != 32 || tiles.columns != 32) {
            return true;
        }
    }
    return false;
}
// Some circular buffer has other tiles than 32 by 32.
inline constexpr bool kSmallTiles = has_small_tiles();

// 32 bits in Dst.
inline constexpr bool kWide = DST_ACCUM_MODE;

// The code of a format in configuration words.
constexpr uint32_t code_of(DataFormat format) { return static_cast<uint32_t>(format) & 0xF; }

constexpr bool is_block(DataFormat format) {
    return format == DataFormat::Bfp8 || format == DataFormat::Bfp4 || format == DataFormat::Bfp2 ||
           format == DataFormat::Bfp8_b || format == DataFormat::Bfp4_b || format == DataFormat::Bfp2_b;
}

constexpr bool has_five_bits_of_exponent(DataFormat format) {
    return format == DataFormat::Float16 || format == DataFormat::Bfp8 || format == DataFormat::Bfp4 ||
           format == DataFormat::Bfp2;
}

constexpr bool is_computed(DataFormat format) {
    return format == DataFormat::Float32 || format == DataFormat::Float16 || format == DataFormat::Float16_b ||
           is_block(format);
}

constexpr bool is_word(DataFormat format) { return format == DataFormat::Int32 || format == DataFormat::UInt32; }

constexpr bool is_integer(DataFormat format) { return is_word(format) || format == DataFormat::UInt16; }

// The circular buffers that the host wants to be unpacked to Dst.
#ifndef HALLMARK_UNPACK_TO_DST
#define HALLMARK_UNPACK_TO_DST 0xFF
#endif
inline constexpr uint8_t kToDst[] = {HALLMARK_UNPACK_TO_DST};

// Whether tiles go from the unpacker to Dst: words of 32 bits, which SrcA does not hold, and float32 where the host asks for it.
constexpr bool goes_to_dst(uint32_t cb_id) {
    const DataFormat format = format_of(cb_id);
    if (is_word(format)) {
        return true;
    }
    for (uint32_t index : kToDst) {
        if (index == cb_id && kWide && format == DataFormat::Float32) {
            return true;
        }
    }
    return false;
}

// The format in SrcA and SrcB: they hold 19 bits at most (SrcASrcB.md), and what Dst of 16 bits cannot hold is left out.
// What goes to Dst does not matter there.
constexpr DataFormat source_format(DataFormat format) {
    if (format != DataFormat::Float32 && !is_word(format)) {
        return format;
    }
    return kWide ? DataFormat::Tf32 : DataFormat::Float16_b;
}

// The format in which packers read Dst, from that in L1.
constexpr DataFormat packed_from(DataFormat format) {
    if (is_block(format)) {
        if (HALLMARK_BFP8_PACK_PRECISE) {
            return kWide ? DataFormat::Float32 : has_five_bits_of_exponent(format) ? DataFormat::Float16 : DataFormat::Float16_b;
        }
        return has_five_bits_of_exponent(format) ? DataFormat::Bfp8 : DataFormat::Bfp8_b;
    }
    if (kWide) {
        return format == DataFormat::Float16 ? DataFormat::Float16_b : format;
    }
    return format == DataFormat::Float32 ? DataFormat::Float16_b : format;
}

// Bytes of a datum in a format of Dst.
constexpr uint32_t bytes_in_dst(DataFormat format) {
    return format == DataFormat::Float32 || is_word(format) ? 4 : is_block(format) ? 1 : 2;
}

// The tiles of a section of Dst, and the rows of a tile.
inline constexpr uint32_t kSectionTiles = (HALLMARK_DST_FULL_SYNC ? 16 : 8) / (kWide ? 2 : 1);
inline constexpr uint32_t kTileRows = 64, kTileData = 1024, kFaceData = 256;
// The columns of a tile, and the rows and columns of a face.
inline constexpr uint32_t kTileColumns = 32, kFaceRows = 16, kFaceColumns = 16;

ALWI void check_operand(uint32_t cb_id) {
    if (__builtin_constant_p(cb_id)) {
        const TilesOfBuffer& tiles = kOperands.of[cb_id & 63];
        const auto format = static_cast<DataFormat>(tiles.format);
        if (tiles.bytes == 0 || cb_id > 63) {
            no_circular_buffer();
        } else if (
            tiles.rows % 16 != 0 || tiles.columns % 16 != 0 ||
            (is_block(format) && (tiles.rows != 32 || tiles.columns != 32))) {
            no_whole_faces();
        } else if (!is_computed(format) && !is_integer(format)) {
            no_known_format();
        } else if (is_integer(format) && is_word(format) != kWide) {
            other_width_of_dst();
        }
    }
    HALLMARK_REQUIRE(
        cb_id < 64 && kOperands.of[cb_id].bytes != 0,
        "this index has no circular buffer with a data_format on the kernel's cores");
}

ALWI void check_whole(uint32_t cb_id) {
    check_operand(cb_id);
    if constexpr (kSmallTiles) {
        if (__builtin_constant_p(cb_id) && cb_id < 64 && faces_of(cb_id) != 4) {
            no_whole_tiles();
        }
        HALLMARK_REQUIRE(
            faces_of(cb_id) == 4,
            "this operation works on tiles of 32 by 32; copies, and sums, differences and products of elements, also on smaller ones");
    }
}

// Numbers that the matrix unit computes with, element by element.
ALWI void check_elements(uint32_t cb_id) {
    check_operand(cb_id);
    if (__builtin_constant_p(cb_id) && cb_id < 64 && is_integer(format_of(cb_id))) {
        only_copied();
    }
}

ALWI void check_numbers(uint32_t cb_id) {
    check_elements(cb_id);
    check_whole(cb_id);
}

// Blocks of data with a common exponent are not rows of a matrix.
constexpr bool has_rows(DataFormat format) { return !is_block(format); }

ALWI void check_rows(uint32_t cb_id) {
    check_whole(cb_id);
    if (__builtin_constant_p(cb_id) && cb_id < 64 && !has_rows(format_of(cb_id))) {
        no_rows();
    }
    HALLMARK_REQUIRE(
        has_rows(format_of(cb_id)),
        "the rows of a matrix in this circular buffer's data_format cannot be read or written one by one: float32, float16 and "
        "float16_b can");
}

// Bytes of a datum in L1.
constexpr uint32_t bytes_in_l1(DataFormat format) { return format == DataFormat::Float32 || is_word(format) ? 4 : 2; }

// The units do not convert between exponents of 5 and of 8 bits.
ALWI void check_formats(uint32_t one, uint32_t other) {
    check_operand(one);
    check_operand(other);
    if (__builtin_constant_p(one) && __builtin_constant_p(other) && one < 64 && other < 64 &&
        has_five_bits_of_exponent(format_of(one)) != has_five_bits_of_exponent(format_of(other))) {
        exponents_of_two_widths();
    }
}

ALWI void check_pairs(uint32_t one, uint32_t other) {
    check_elements(one);
    check_elements(other);
    check_formats(one, other);
    if constexpr (kSmallTiles) {
        if (__builtin_constant_p(one) && __builtin_constant_p(other) && one < 64 && other < 64 &&
            faces_of(one) != faces_of(other)) {
            different_shapes();
        }
        HALLMARK_REQUIRE(faces_of(one) == faces_of(other), "the tiles of these circular buffers have different shapes");
    }
}

ALWI void check_operands(uint32_t one, uint32_t other) {
    check_numbers(one);
    check_numbers(other);
    check_formats(one, other);
}

ALWI void check_tile_in_dst(uint32_t index) {
    if (__builtin_constant_p(index) && index >= kSectionTiles) {
        tile_beyond_dst();
    }
    HALLMARK_REQUIRE(
        index < kSectionTiles,
        "this tile index is beyond Dst, which has 8 tiles: 4 with fp32_dest_acc_en, and twice as many with dst_full_sync_en");
}

}  // namespace hallmark

// The tables that upstream generates for the packers, by its names.
inline constexpr hallmark::TileTable<&hallmark::TilesOfBuffer::format> pack_dst_format{};
inline constexpr hallmark::TileTable<&hallmark::TilesOfBuffer::bytes> pack_tile_size{};
inline constexpr hallmark::TileTable<&hallmark::TilesOfBuffer::rows> pack_tile_r_dim{};
inline constexpr hallmark::TileTable<&hallmark::TilesOfBuffer::columns> pack_tile_c_dim{};

// The formats of circular buffers as the units take them. The host states them when the kernel is built.
#pragma once

#include "hallmark/kernel_state.h"
#include "hallmark/misuse.h"
#include "hallmark/tile_tables.h"

#ifndef HALLMARK_TILES
#error "a compute kernel needs circular buffers with a data_format on its cores, created in the same program"
#endif

namespace hallmark {

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

// The faces of a tile, and those in a column and in a row of it.
constexpr uint32_t faces_of(uint32_t cb_id) {
    return uint32_t{kOperands.of[cb_id].rows} * kOperands.of[cb_id].columns / 256;
}
constexpr uint32_t faces_below(uint32_t cb_id) { return kOperands.of[cb_id].rows / 16u; }
constexpr uint32_t faces_beside(uint32_t cb_id) { return kOperands.of[cb_id].columns / 16u; }

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

// Integers of 8 bits: a sign and a magnitude, or a magnitude. The matrix unit makes integers of 32 bits of them.
constexpr bool is_byte(DataFormat format) { return format == DataFormat::Int8 || format == DataFormat::UInt8; }

// Integers that the units copy, and do not compute with.
constexpr bool is_copied(DataFormat format) { return is_word(format) || format == DataFormat::UInt16; }

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
        // Packers read exponents of 5 bits from a Dst of 16 bits alone, and narrow the others later.
        return has_five_bits_of_exponent(format) && !kWide ? DataFormat::Bfp8 : DataFormat::Bfp8_b;
    }
    if (kWide) {
        return format == DataFormat::Float16 ? DataFormat::Float16_b : format;
    }
    return format == DataFormat::Float32 ? DataFormat::Float16_b : format;
}

// Bytes of a datum in a format of Dst.
constexpr uint32_t bytes_in_dst(DataFormat format) {
    return format == DataFormat::Float32 || is_word(format) ? 4 : is_block(format) || is_byte(format) ? 1 : 2;
}

// The tiles of a section of Dst, and the rows of a tile.
inline constexpr uint32_t kSectionTiles = (HALLMARK_DST_FULL_SYNC ? 16 : 8) / (kWide ? 2 : 1);
inline constexpr uint32_t kTileRows = 64, kTileData = 1024, kFaceData = 256;
// The columns of a tile, and the rows and columns of a face.
inline constexpr uint32_t kTileColumns = 32, kFaceRows = 16, kFaceColumns = 16;

// The circular buffers that a rule speaks of, a bit each.
template <typename Rule>
constexpr uint64_t buffers_that(Rule rule) {
    uint64_t buffers = 0;
    for (const TilesOfBuffer& tiles : kTiles) {
        if (rule(tiles, static_cast<DataFormat>(tiles.format))) {
            buffers |= uint64_t{1} << tiles.index;
        }
    }
    return buffers;
}

// The circular buffers of integers of 8 bits.
inline constexpr uint64_t kBytes = buffers_that([](const TilesOfBuffer&, DataFormat format) { return is_byte(format); });
inline constexpr bool kHasBytes = kBytes != 0;

// Whether both formats take the same configuration of the units: the code of the format, and beside it the sign of integers of 8
// bits.
constexpr bool are_alike(DataFormat one, DataFormat other) {
    return code_of(one) == code_of(other) &&
           (!kHasBytes || (one == DataFormat::UInt8) == (other == DataFormat::UInt8));
}

template <uint64_t kBuffers>
ALWI bool is_among(uint32_t cb_id) {
    constexpr auto low = static_cast<uint32_t>(kBuffers), high = static_cast<uint32_t>(kBuffers >> 32);
    if constexpr (high == 0) {
        return cb_id < 32 && (low >> cb_id & 1) != 0;
    }
    return cb_id < 64 && ((cb_id < 32 ? low : high) >> cb_id % 32 & 1) != 0;
}

// A check of a circular buffer: `wrong` is a function of its tiles and their format. What is wrong when the kernel is built is
// an error of the compiler, which prints the sentence beside the line of the call; a number that is only known later stops
// the kernel. A kernel without such circular buffers has no code for it.
#define HALLMARK_CHECK(name, wrong, sentence)                                \
    [[gnu::error(sentence)]] void refused_by_##name();                       \
    ALWI void name(uint32_t cb_id) {                                         \
        constexpr uint64_t buffers = buffers_that(wrong);                    \
        if constexpr (buffers != 0) {                                        \
            if (__builtin_constant_p(cb_id) && is_among<buffers>(cb_id)) {   \
                refused_by_##name();                                         \
            }                                                                \
            HALLMARK_REQUIRE(!is_among<buffers>(cb_id), sentence);           \
        }                                                                    \
    }

constexpr bool is_whole(const TilesOfBuffer& tiles) { return tiles.rows == 32 && tiles.columns == 32; }
// Blocks of data with a common exponent are not rows of a matrix, and those of integers of 8 bits are not told apart here.
constexpr bool has_rows(DataFormat format) { return !is_block(format) && !is_byte(format); }

HALLMARK_CHECK(
    check_faces,
    [](const TilesOfBuffer& tiles, DataFormat format) {
        return tiles.rows % 16 != 0 || tiles.columns % 16 != 0 || (is_block(format) && !is_whole(tiles));
    },
    "the tiles of this circular buffer do not consist of whole faces of 16 by 16: 32 by 32, 16 by 32, 32 by 16 and 16 by 16 do, but "
    "blocks with a common exponent only fill tiles of 32 by 32")
HALLMARK_CHECK(
    check_known_format,
    [](const TilesOfBuffer&, DataFormat format) { return !is_computed(format) && !is_byte(format) && !is_copied(format); },
    "the compute API does not compute in the data_format of this circular buffer: float32, float16_b, float16, bfp8_b, bfp4_b, bfp2_b, "
    "bfp8, bfp4, bfp2, int8 and uint8 are numbers, and int32, uint32 and uint16 are copied")
HALLMARK_CHECK(
    check_width_of_dst,
    [](const TilesOfBuffer&, DataFormat format) {
        return ((is_word(format) || is_byte(format)) && !kWide) || (format == DataFormat::UInt16 && kWide);
    },
    "tiles of int32, uint32, int8 and uint8 need fp32_dest_acc_en, and those of uint16 a Dst of 16 bits")
HALLMARK_CHECK(
    check_whole_tiles, [](const TilesOfBuffer& tiles, DataFormat) { return !is_whole(tiles); },
    "this operation works on tiles of 32 by 32: it transposes them, makes them out of rows, or makes rows out of them")
HALLMARK_CHECK(
    check_tiles_are_wide, [](const TilesOfBuffer& tiles, DataFormat) { return tiles.columns < tiles.rows; },
    "tiles of 32 by 16 take no row and no column of another tile, because TT-Metalium does not read them so: those of 32 by 32, "
    "16 by 32 and 16 by 16 do, and those of 32 by 16 take a single datum")
HALLMARK_CHECK(
    check_computed, [](const TilesOfBuffer&, DataFormat format) { return is_copied(format); },
    "the unpackers and packers only copy integers: the compute API does not compute in the data_format of this circular buffer")
HALLMARK_CHECK(
    check_not_bytes, [](const TilesOfBuffer&, DataFormat format) { return is_byte(format); },
    "this operation has no int8 and uint8: they are copied, transposed, added, subtracted and multiplied, also with broadcasts and as "
    "matrices")
HALLMARK_CHECK(
    check_separate_rows, [](const TilesOfBuffer&, DataFormat format) { return !has_rows(format); },
    "the rows of a matrix in this circular buffer's data_format cannot be read or written one by one: float32, float16 and float16_b "
    "can")
HALLMARK_CHECK(
    check_goes_to_source, [](const TilesOfBuffer& tiles, DataFormat) { return goes_to_dst(tiles.index); },
    "tiles of int32 and uint32, and of float32 with an unpack_to_dest_mode, go to Dst without the matrix unit, which transposes: "
    "transpose tiles of another circular buffer")
#undef HALLMARK_CHECK

[[gnu::error("this index has no circular buffer with a data_format on the kernel's cores")]] void no_circular_buffer();
[[gnu::error("the tiles of these circular buffers have different shapes")]] void different_shapes();
[[gnu::error("the matrix unit does not multiply tiles of these two shapes: in0 has as many columns as in1 has rows, and with 16 of them "
             "in1 has 32 columns")]] void shapes_without_product();
[[gnu::error("the scaling tiles of a reduction are as large as the tiles that it reduces, or 32 by 32")]] void scaling_shape();
[[gnu::error("int8 and uint8 are not combined with other formats")]] void bytes_and_others();
[[gnu::error("the exponents of these circular buffers' formats have different widths: float16, bfp8, bfp4 and bfp2 have 5 "
             "bits, all other formats 8, and the units do not convert between the two")]] void exponents_of_two_widths();
[[gnu::error("this tile index is beyond Dst, which has 8 tiles: 4 with fp32_dest_acc_en, and twice as many with "
             "dst_full_sync_en")]] void tile_beyond_dst();

ALWI void check_operand(uint32_t cb_id) {
    if (__builtin_constant_p(cb_id) && (cb_id > 63 || kOperands.of[cb_id & 63].bytes == 0)) {
        no_circular_buffer();
    }
    HALLMARK_REQUIRE(
        cb_id < 64 && kOperands.of[cb_id].bytes != 0,
        "this index has no circular buffer with a data_format on the kernel's cores");
    check_faces(cb_id);
    check_known_format(cb_id);
    check_width_of_dst(cb_id);
}

ALWI void check_whole(uint32_t cb_id) {
    check_operand(cb_id);
    check_whole_tiles(cb_id);
}

// The matrix unit computes with this format.
ALWI void check_numbers(uint32_t cb_id) {
    check_operand(cb_id);
    check_computed(cb_id);
}

// The same for operations that the matrix unit has for other formats than integers of 8 bits.
ALWI void check_elements(uint32_t cb_id) {
    check_numbers(cb_id);
    check_not_bytes(cb_id);
}

ALWI void check_rows(uint32_t cb_id) {
    check_whole(cb_id);
    check_separate_rows(cb_id);
}

// The format of units that compute_kernel_hw_startup has not configured yet. No format has this code.
inline constexpr DataFormat kNotConfigured = static_cast<DataFormat>(12);
#define HALLMARK_NEEDS_STARTUP(format)            \
    HALLMARK_REQUIRE(                             \
        (format) != hallmark::kNotConfigured,     \
        "the units are not configured here: call compute_kernel_hw_startup(icb0, icb1, ocb) first, before any init")

// Bytes of a datum in L1.
constexpr uint32_t bytes_in_l1(DataFormat format) { return format == DataFormat::Float32 || is_word(format) ? 4 : 2; }

// The circular buffers whose formats have short exponents.
inline constexpr uint64_t kShortExponents =
    buffers_that([](const TilesOfBuffer&, DataFormat format) { return has_five_bits_of_exponent(format); });
inline constexpr uint64_t kLongExponents =
    buffers_that([](const TilesOfBuffer&, DataFormat format) { return !has_five_bits_of_exponent(format); });

// The units do not convert between exponents of 5 and of 8 bits.
ALWI void check_formats(uint32_t one, uint32_t other) {
    check_operand(one);
    check_operand(other);
    if constexpr (kShortExponents != 0 && kLongExponents != 0) {
        const bool differ = is_among<kShortExponents>(one) != is_among<kShortExponents>(other);
        if (__builtin_constant_p(differ) && differ) {
            exponents_of_two_widths();
        }
        HALLMARK_REQUIRE(
            !differ,
            "the exponents of these circular buffers' formats have different widths: float16, bfp8, bfp4 and bfp2 have 5 bits, all other "
            "formats 8, and the units do not convert between the two");
    }
}

// With a Dst of 32 bits, the packers' format may have another width of exponents than the unpackers' formats.
ALWI void check_result(uint32_t operand, uint32_t result) {
    if constexpr (kWide) {
        check_operand(operand);
        check_operand(result);
    } else {
        check_formats(operand, result);
    }
}

// The matrix unit computes with integers or with floats.
ALWI void check_kinds(uint32_t one, uint32_t other) {
    if constexpr (kHasBytes) {
        const bool differ = is_among<kBytes>(one) != is_among<kBytes>(other);
        if (__builtin_constant_p(differ) && differ) {
            bytes_and_others();
        }
        HALLMARK_REQUIRE(!differ, "int8 and uint8 are not combined with other formats");
    }
}

ALWI void check_shapes(uint32_t one, uint32_t other) {
    if constexpr (kSmallTiles) {
        const TilesOfBuffer& first = kOperands.of[one & 63];
        const TilesOfBuffer& second = kOperands.of[other & 63];
        const bool differ = first.rows != second.rows || first.columns != second.columns;
        if (__builtin_constant_p(differ) && differ) {
            different_shapes();
        }
        HALLMARK_REQUIRE(!differ, "the tiles of these circular buffers have different shapes");
    }
}

ALWI void check_pairs(uint32_t one, uint32_t other) {
    check_numbers(one);
    check_numbers(other);
    check_formats(one, other);
    check_kinds(one, other);
    check_shapes(one, other);
}

// A product of matrices: TT-Metalium has none of tiles of 16 columns and of 16 by 16.
ALWI void check_matrices(uint32_t in0, uint32_t in1) {
    check_numbers(in0);
    check_numbers(in1);
    check_formats(in0, in1);
    check_kinds(in0, in1);
    if constexpr (kSmallTiles) {
        const bool fit = faces_beside(in0 & 63) == faces_below(in1 & 63) &&
                         (faces_below(in1 & 63) == 2 || faces_beside(in1 & 63) == 2);
        if (__builtin_constant_p(fit) && !fit) {
            shapes_without_product();
        }
        HALLMARK_REQUIRE(
            fit,
            "the matrix unit does not multiply tiles of these two shapes: in0 has as many columns as in1 has rows, and with 16 of them "
            "in1 has 32 columns");
    }
}

// A reduction: the scaling tile has the shape of the data, or is whole.
ALWI void check_reduced(uint32_t data, uint32_t scaler) {
    check_elements(data);
    check_elements(scaler);
    check_formats(data, scaler);
    if constexpr (kSmallTiles) {
        const bool fit = is_whole(kOperands.of[scaler & 63]) || (faces_below(scaler & 63) == faces_below(data & 63) &&
                                                                faces_beside(scaler & 63) == faces_beside(data & 63));
        if (__builtin_constant_p(fit) && !fit) {
            scaling_shape();
        }
        HALLMARK_REQUIRE(fit, "the scaling tiles of a reduction are as large as the tiles that it reduces, or 32 by 32");
    }
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

// PACK: tiles of Dst into circular buffers, face by face.
#pragma once

#include "hallmark/coprocessor.h"
#include "hallmark/operands.h"

namespace hallmark {

// The general register of the coprocessor with the address of the tile.
inline constexpr uint32_t kPackAddress = 18;

// The section of Dst that PACK packs from.
inline uint32_t pack_section;
// PACK has the section: it has waited for it and not released it.
inline bool may_pack;
// The format, and the faces of a tile, that the packers are configured for.
inline DataFormat packed_format = kNotConfigured;
inline uint32_t packed_faces;
// The tiles that were packed behind the end of each circular buffer since its last push.
inline uint16_t packed_tiles[64];
// Some PACR have been pushed since the core last waited for all.
inline bool packing;
// Whether the packers pack rows of a matrix (pack_rows.h), and whether they write zeros beside a reduction's results.
inline bool packs_rows, masks_results;
// The section of Dst that the calls before the next commit compute in, and, a bit for each section, whether one reduces.
inline uint32_t named_section, reduced_sections;
// The sections that this kernel has committed and not released.
inline uint32_t held_sections;

FORCE_INLINE void begin_named_section() { reduced_sections &= ~(1u << named_section); }

FORCE_INLINE void end_named_section() {
    ++held_sections;
    if constexpr (!HALLMARK_DST_FULL_SYNC) {
        named_section ^= 1;
    }
}

FORCE_INLINE void finish_packing() {
    if (packing) {
        finish_pushed();
        packing = false;
    }
}

// Lines of L1 that a face takes, and that the exponents of all faces take.
constexpr uint32_t lines_of_face(DataFormat format) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Int32:
        case DataFormat::UInt32: return 64;
        case DataFormat::Int8:
        case DataFormat::UInt8:
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b: return 16;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return 8;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return 4;
        default: return 32;
    }
}

// The size of the section of exponents of a packer, and of its formats.
constexpr uint32_t exponents_of(DataFormat format, uint32_t packer) {
    // A packer's exponents stand behind those of the packers before, and its data behind theirs.
    const uint32_t of_packer = kPackerCount == 1 ? 0 : packer * (lines_of_face(format) - 1);
    return is_block(format) ? (4 + of_packer) << 16 : 0;
}
// Data are not compressed.
constexpr uint32_t packed_formats(DataFormat format) {
    return code_of(packed_from(format)) << 8 | code_of(format) << 4 | 1;
}

// The distance of a packer's face from the first one. The hardware adds one to each address.
constexpr uint32_t line_of_packer(DataFormat format, uint32_t packer) {
    return packer * (is_block(format) ? 1 : lines_of_face(format)) - 1;
}

// Data that a packer, or on Blackhole each of the packer's four interfaces, packs at once.
inline constexpr uint32_t kPackedAtOnce = kPackerCount == 1 ? kFaceColumns : kFaceData;

// Bytes from a datum, a row, a face and a tile of Dst to the next.
FORCE_INLINE void configure_pack_strides(DataFormat format) {
    const uint32_t bytes = bytes_in_dst(packed_from(format));
#if defined(ARCH_BLACKHOLE)
    constexpr uint32_t second = 16;
#else
    constexpr uint32_t second = 12;
#endif
    configuration(kPackStrides) = (16 * bytes) << second | bytes;
    configuration(kPackStrides + 1) = (kTileData * bytes) << second | kFaceData * bytes;
}

// In word 3 of a packer's configuration: the packer makes data 0 whose exponent is below that in the uppermost byte.
inline constexpr uint32_t kThreshold = 1 << 20 | 0xFFu << 24;
// Numbers below 2^-14 are denormals of float16. When packers narrow exponents from 8 bits to 5, they convert some of these numbers
// wrongly (Packers/FormatConversion.md).
inline constexpr uint32_t kNarrowThreshold = 1 << 20 | (127u - 14) << 24;
constexpr bool narrows_exponents(DataFormat format) {
    return kWide && is_block(format) && has_five_bits_of_exponent(format);
}
inline constexpr bool kNarrows =
    buffers_that([](const TilesOfBuffer&, DataFormat format) { return narrows_exponents(format); }) != 0;

template <uint32_t kPacker = 0>
FORCE_INLINE void change_threshold(DataFormat format) {
    if constexpr (kNarrows && kPacker < kPackerCount) {
        change_bits<kPackers[kPacker] + 3, kThreshold>(narrows_exponents(format) ? kNarrowThreshold : 0);
        change_threshold<kPacker + 1>(format);
    }
}

// How packers read Dst: 32 bits or 16, and integers of 8 bits without a sign.
constexpr uint32_t packed_read(DataFormat format) {
    return (kWide ? 1 : 0) | (kHasBytes && format == DataFormat::UInt8 ? 2 : 0);
}

// The words that depend on the format, by stores of the core.
FORCE_INLINE void configure_pack_format(DataFormat format) {
    packed_format = format;
    configure_pack_strides(format);
    if constexpr (kHasBytes) {
        configuration(kPackRead) = packed_read(format);
    }
    for (uint32_t packer = 0; packer < kPackerCount; ++packer) {
        configuration(kPackers[packer]) = exponents_of(format, packer);
        if (packer != 0) {
            configuration(kPackers[packer] + 1) = line_of_packer(format, packer);
        }
        configuration(kPackers[packer] + 2) = packed_formats(format);
    }
}

FORCE_INLINE void note_faces(uint32_t cb_id) {
    if constexpr (kSmallTiles) {
        packed_faces = faces_of(cb_id);
    }
}

FORCE_INLINE void configure_packers(uint32_t cb_id) {
    const DataFormat format = format_of(cb_id);
    finish_pushed();
    note_faces(cb_id);
    configuration(kPackRead) = packed_read(format);
    configuration(kPackRowSets) = 0;
    configuration(kPackEdges) = 0xFFFF;
    for (uint32_t packer = 0; packer < kPackerCount; ++packer) {
        configuration(kPackers[packer] + 3) = 0;
        configuration(kPackCounters + packer) = 16 << 8;
        configuration(kPackRows + packer) = 16 * packer;
    }
    configure_pack_format(format);
    settle_configuration();
    push(set_thread_word(kThreadState, 0));
    // Of word kAluFormats the format of Dst, and of kAluModes the rectifier, are PACK's.
    change_bits<kAluFormats, 0xFu << 25>(code_of(packed_from(format)) << 25);
    change_bits<kAluModes, 0xFFFFFu << 2>(0);
    change_threshold(format);
    push(clear_y(kAllPackers));
    push(clear_zw(kAllPackers));
#if defined(ARCH_BLACKHOLE)
    // An instruction packs four rows, and the next one the four behind them; the last one begins anew.
    push(set_thread_word(kThreadPackModifiers[0], 4));
    push(set_thread_word(kThreadPackModifiers[1], 1 << 5));
#else
    push(set_thread_word(kThreadPackModifiers[0], 0));
#endif
    push(set_row(kAllPackers, kPackedAtOnce));
    // A kernel may start up again.
    packs_rows = masks_results = false;
}

// Other formats than before.
FORCE_INLINE void change_packed_format(uint32_t cb_id) {
    const DataFormat format = format_of(cb_id);
    // Stores of the core need no wait of its own behind the last instruction of the packers.
    finish_packing();
    configure_pack_format(format);
    settle_configuration();
    change_bits<kAluFormats, 0xFu << 25>(code_of(packed_from(format)) << 25);
    change_threshold(format);
}

// What packers do with numbers below 0 or a threshold. The modes are those of the hardware.
FORCE_INLINE void set_rectifier(uint32_t mode, uint32_t threshold) {
    push_now<stall_wait(kHoldConfiguration, kPackersDone)>();
    change_bits<kAluModes, 0xFFFFFu << 2>(mode << 2 | threshold << 6);
}

// Whether tiles are added to what L1 holds.
#if defined(ARCH_BLACKHOLE)
inline constexpr uint32_t kAddsToL1 = 1 << 19;
#else
inline constexpr uint32_t kAddsToL1 = 1 << 21;
#endif
template <uint32_t kPacker = 0>
FORCE_INLINE void change_addition(bool adds) {
    if constexpr (kPacker < kPackerCount) {
        change_bits<kPackers[kPacker] + 3, kAddsToL1>(adds ? kAddsToL1 : 0);
        change_addition<kPacker + 1>(adds);
    }
}

FORCE_INLINE void add_to_l1(bool adds) {
    push_now<stall_wait(kHoldConfiguration, kPackersDone)>();
    change_addition(adds);
}

// Of the rows that `rows` has a 1 for, two bits each, packers write the columns of a mask, and of the others nothing but
// zeros; two bits of `packers` say whether a packer does (Packers/EdgeMasking.md).
FORCE_INLINE void mask_packed(uint32_t packers, uint32_t rows, uint32_t columns) {
    masks_results = true;
    finish_packing();
    configuration(kPackEdges) = packers << 17;
    configuration(kPackEdges + 1) = columns;
    configuration(kPackRowSets + 1) = rows;
    settle_configuration();
}

FORCE_INLINE void mask_nothing() {
    masks_results = false;
    finish_packing();
    configuration(kPackEdges) = 0xFFFF;
    settle_configuration();
}

FORCE_INLINE void wait_for_section() {
    may_pack = true;
    push_now<semaphore_wait(kHoldPackers, kSections, kWhileZero)>();
}

FORCE_INLINE void release_section() {
    HALLMARK_REQUIRE(may_pack, "tile_regs_release without tile_regs_wait: PACK has no section of Dst to release");
    may_pack = false;
    --held_sections;
    push_now<stall_wait(kHoldSynchronization, kPackersDone)>();
    push_now<semaphore_get(kSections)>();
    if constexpr (!HALLMARK_DST_FULL_SYNC) {
        pack_section ^= 1;
    }
}

// The hardware adds one to the address, which counts lines of 16 bytes.
FORCE_INLINE void choose_pack_address(uint32_t line) {
    const uint32_t address = line - 1;
    push(set_low(kPackAddress, address & 0xFFFF));
    // Bit 31: the addresses of the other packers are relative to this one.
    push(set_high(kPackAddress, address >> 16 | (kPackerCount > 1 ? 0x8000 : 0)));
    // The packers may still read the address of the tile before (PACR.md).
    push_now<stall_wait(kHoldConfiguration, kScalarDone | kPackersDone)>();
    push_now<write_configuration(kPackAddress, kPackers[0] + 1)>();
}

FORCE_INLINE void check_packing(uint32_t cb_id) {
    HALLMARK_REQUIRE(may_pack, "PACK has no section of Dst here: call tile_regs_wait first, and tile_regs_release after the last tile");
    if (__builtin_expect(!are_alike(packed_format, format_of(cb_id)), 0)) {
        HALLMARK_NEEDS_STARTUP(packed_format);
        HALLMARK_MISUSE(
            "the packers are configured for another data_format than this circular buffer has: call pack_reconfig_data_format "
            "with it before");
    }
    HALLMARK_REQUIRE(
        !masks_results || (reduced_sections >> pack_section & 1) != 0,
        "the packers would write zeros here, as beside the result of reduce_tile: call reduce_uninit() behind the last result of a "
        "reduction");
}

FORCE_INLINE void check_packed_line(const LocalCBInterface& buffer, uint32_t line) {
    HALLMARK_REQUIRE(
        line < buffer.fifo_limit,
        "the packers would write behind the end of this circular buffer: it does not hold so many tiles, counted from the last "
        "cb_push_back on");
}

// A tile of Dst to a place behind the end of a circular buffer, in tiles.
FORCE_INLINE void pack_to(uint32_t index, uint32_t cb_id, uint32_t place) {
    check_packing(cb_id);
    HALLMARK_REQUIRE(
        !packs_rows,
        "the packers write rows of a matrix here, and not tiles: call pack_untilize_uninit(ocb) behind the last block of rows");
    if constexpr (kSmallTiles) {
        HALLMARK_REQUIRE(
            packed_faces == faces_of(cb_id),
            "the packers are configured for tiles of another shape than this circular buffer has: call "
            "pack_reconfig_data_format<true> with it before");
    }
    const LocalCBInterface& buffer = get_local_cb_interface(cb_id);
    const uint32_t line = buffer.fifo_wr_ptr + buffer.fifo_page_size * place;
    check_packed_line(buffer, line);
    choose_pack_address(line);
    push(set_tile(kAllPackers, pack_section * kSectionTiles + index));
    const uint32_t faces = faces_of(cb_id);
#if defined(ARCH_BLACKHOLE)
    for (uint32_t rows = 4; rows < faces * kFaceRows; rows += 4) {
        push_now<0x41u << 24>();
    }
    push_now<0x41u << 24 | 1 << 15 | 1>();
#else
    // A packer for each face.
    if (faces == 4) {
        push_now<0x41u << 24 | 15 << 8 | 1>();
    } else if (faces == 2) {
        push_now<0x41u << 24 | 3 << 8 | 1>();
    } else {
        push_now<0x41u << 24 | 1 << 8 | 1>();
    }
#endif
    packing = true;
}

}  // namespace hallmark

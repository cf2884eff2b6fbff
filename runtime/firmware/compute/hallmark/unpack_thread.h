// UNPACK: tiles of circular buffers into SrcA and SrcB, face by face.
#pragma once

#include "hallmark/coprocessor.h"
#include "hallmark/operands.h"

namespace hallmark {

// General registers of the coprocessor, one for each unpacker's address.
inline constexpr uint32_t kUnpackAddresses[] = {16, 17};

// UNPACR: a tile, after which the matrix unit has the bank. The thread's word chooses the context.
inline constexpr uint32_t kGivesBank = 1 << 6;
constexpr uint32_t unpack_row(uint32_t unpacker, uint32_t how) {
    return 0x42u << 24 | unpacker << 23 | 1 << 7 | how | 1;
}

// Unpacker 0 can write 4 rows before SrcA, and skips them.
inline constexpr uint32_t kSkipped = 64;

// The section of Dst that tiles are unpacked to.
inline uint32_t unpack_section;
// Whether unpacker 0 writes Dst, whether the last init was for that, and the format in SrcA otherwise.
inline bool writes_dst, prepared_for_dst;
inline uint32_t format_in_a;
// What unpacker 0 is prepared for if it reads rows of a matrix (unpack_rows.h), and 0 if it reads tiles.
inline uint32_t prepared_rows;
// Whether unpacker 0 transposes each face.
inline bool transposes_faces;

constexpr bool has_tiles_for_dst() {
    return buffers_that([](const TilesOfBuffer& tiles, DataFormat) { return goes_to_dst(tiles.index); }) != 0;
}

// Some UNPACR have been pushed since the core last waited for all.
inline bool unpacking;

// The formats that the unpackers are configured for.
inline DataFormat unpacked_formats[2] = {kNotConfigured, kNotConfigured};

// Bits of word kAluFormats: integers of 8 bits in SrcA, or in SrcB, have no sign.
inline constexpr uint32_t kUnsignedSources[] = {1 << 15, 1 << 16};
constexpr uint32_t sign_of_source(uint32_t unpacker, DataFormat format) {
    return format == DataFormat::UInt8 ? kUnsignedSources[unpacker] : 0;
}

// Words of 32 bits only go to Dst, and by unpacker 0. Unpacker 1 writes zeros meanwhile.
constexpr DataFormat unpacked_format(uint32_t unpacker, DataFormat format) {
    return unpacker == 1 && is_word(format) ? DataFormat::Float32 : format;
}

// Unpacker 1 only writes zeros while SrcA has integers of 8 bits and its own circular buffer other data, or the other way round. They are
// of the kind in SrcA then, because on Blackhole the sources have the formats of their unpackers.
FORCE_INLINE DataFormat format_of_unpacker(uint32_t unpacker) {
    if constexpr (kHasBytes) {
        if (unpacker == 1 && is_byte(unpacked_formats[0]) != is_byte(unpacked_formats[1])) {
            return unpacked_format(1, unpacked_formats[0]);
        }
    }
    return unpacked_format(unpacker, unpacked_formats[unpacker]);
}

FORCE_INLINE void configure_unpackers(uint32_t cb_a, uint32_t cb_b) {
    finish_pushed();
    const uint32_t operands[] = {cb_a, cb_b};
    for (uint32_t unpacker = 0; unpacker < 2; ++unpacker) {
        const UnpackerWords& words = kUnpackers[unpacker];
        unpacked_formats[unpacker] = format_of(operands[unpacker]);
        const DataFormat format = format_of_unpacker(unpacker);
        configuration(words.format) = code_of(format) | 1 << 4 | kFaceData << 16;
        // Rows and faces: together with the data of a row, they say how long the section of exponents is.
        configuration(words.size) = 1 | 4 << 16;
        configuration(words.output_format) = code_of(source_format(format)) | 2 << 4;
        configuration(words.uncompressed) = 3;
    }
    for (uint32_t word : kUnpackStrides) {
        configuration(word) = 0;
    }
    configuration(kUnpackPlace) = kSkipped;
    configuration(kUnpackOffset) = 0;
    // The output's counters count as well, by strides that are 0.
    configuration(kUnpackCounts) = 1 << 8;
    configuration(kUnpackRow) = kFaceData;
    settle_configuration();
    push(set_thread_word(kThreadState, 0));
    if constexpr (kHasBytes) {
        change_bits<kAluFormats, kUnsignedSources[0] | kUnsignedSources[1]>(
            sign_of_source(0, unpacked_formats[0]) | sign_of_source(1, unpacked_formats[1]));
    }
    // The place of the output is an address.
    push(set_thread_word(kThreadSource, 1 << 2));
    push(set_thread_word(kThreadContext, 0));
    push(set_row(kBothUnpackers, kTileData));
    push(clear_y(kBothUnpackers));
    push(clear_zw(kBothUnpackers));
    // A kernel may start up again.
    writes_dst = prepared_for_dst = transposes_faces = false;
    prepared_rows = 0;
}

FORCE_INLINE void end_unpacked_section() {
    if constexpr (!HALLMARK_DST_FULL_SYNC) {
        unpack_section ^= 1;
    }
}

FORCE_INLINE void write_source() {
    if (writes_dst) {
        push_now<stall_wait(kHoldConfiguration, unpacker_done(0))>();
        change_bits<kUnpackers[0].uncompressed, 1 << 4>(0);
        change_bits<kUnpackers[0].output_format, 0xF>(format_in_a);
        change_bits<kUnpackPlace, 0xFFFF>(kSkipped);
        push(set_thread_word(kThreadSource, 1 << 2));
        writes_dst = false;
    }
}

FORCE_INLINE void write_dst(uint32_t cb_id) {
    if (!writes_dst) {
        const DataFormat format = format_of(cb_id);
        format_in_a = code_of(source_format(format));
        push_now<stall_wait(kHoldConfiguration, unpacker_done(0))>();
        change_bits<kUnpackers[0].uncompressed, 1 << 4>(1 << 4);
        change_bits<kUnpackers[0].output_format, 0xF>(code_of(format));
        push(set_thread_word(kThreadSource, 0));
        writes_dst = true;
    }
}

FORCE_INLINE void prepare_dst(uint32_t cb_id) {
    prepared_for_dst = true;
    write_dst(cb_id);
}

// L1 is addressed in lines of 16 bytes, and the hardware adds one.
template <uint32_t kUnpacker>
FORCE_INLINE void load_line(uint32_t line) {
    const uint32_t address = line - 1;
    push(set_low(kUnpackAddresses[kUnpacker], address & 0xFFFF));
    push(set_high(kUnpackAddresses[kUnpacker], address >> 16));
}

template <uint32_t kUnpacker>
FORCE_INLINE void check_unpacking(uint32_t cb_id) {
    if (__builtin_expect(are_alike(unpacked_formats[kUnpacker], format_of(cb_id)), 1)) {
        return;
    }
    HALLMARK_NEEDS_STARTUP(unpacked_formats[kUnpacker]);
    if constexpr (kUnpacker == 0) {
        HALLMARK_MISUSE(
            "the unpacker of SrcA is configured for another data_format than this circular buffer has: call "
            "reconfig_data_format_srca with it before");
    } else {
        HALLMARK_MISUSE(
            "the unpacker of SrcB is configured for another data_format than this circular buffer has: call "
            "reconfig_data_format_srcb with it before");
    }
}

// Only the line counts in which a tile or a row begins: pages may be smaller than tiles.
FORCE_INLINE void check_unpacked_line(const LocalCBInterface& buffer, uint32_t line) {
    HALLMARK_REQUIRE(
        line < buffer.fifo_limit,
        "the unpacker would read behind the end of this circular buffer: the index of a tile counts from the front, and does not "
        "continue at the beginning of the memory");
}

// Unpacker 0 does with tiles of this circular buffer what the last init has prepared.
template <bool kUnpacksToDst>
FORCE_INLINE void check_target() {
    if constexpr (kUnpacksToDst) {
        HALLMARK_REQUIRE(
            writes_dst,
            "the unpacker writes to SrcA here, and tiles of this circular buffer go to Dst (int32, uint32, or float32 with an "
            "unpack_to_dest_mode): call the init of this operation with this circular buffer before, and "
            "reconfig_data_format_srca with it behind a reconfig_data_format_srca with another one");
    } else if constexpr (has_tiles_for_dst()) {
        HALLMARK_REQUIRE(
            !writes_dst,
            "the unpacker writes to Dst here, because the last init was for tiles of int32, uint32, or float32 with an "
            "unpack_to_dest_mode: call the init of this operation with this circular buffer before");
    }
}

template <uint32_t kUnpacker, bool kUnpacksToDst = false>
FORCE_INLINE void load_address(uint32_t cb_id, uint32_t tile) {
    check_unpacking<kUnpacker>(cb_id);
    if constexpr (kUnpacker == 0) {
        check_target<kUnpacksToDst>();
        HALLMARK_REQUIRE(
            prepared_rows == 0,
            "the unpacker reads rows of a matrix here, and not tiles: call tilize_uninit(icb, ocb) behind the last tilize_block");
    }
    if constexpr (kSmallTiles) {
        push(set_row(1 << kUnpacker, faces_of(cb_id) * kFaceData));
    }
    const LocalCBInterface& buffer = get_local_cb_interface(cb_id);
    const uint32_t line = buffer.fifo_rd_ptr + buffer.fifo_page_size * tile;
    check_unpacked_line(buffer, line);
    load_line<kUnpacker>(line);
}

// The instructions before have loaded the addresses, and no page says when an unpacker samples them.
template <uint32_t kUnpackersDone>
FORCE_INLINE void before_addresses() {
    push_now<stall_wait(kHoldConfiguration, kScalarDone | kUnpackersDone)>();
}

template <uint32_t kUnpacker>
FORCE_INLINE void write_address() {
    push_now<write_configuration(kUnpackAddresses[kUnpacker], kUnpackers[kUnpacker].base)>();
}

// UNPACR_NOP: zeros in a bank, which the matrix unit then has.
template <uint32_t kUnpacker>
FORCE_INLINE void give_zeros() {
#if defined(ARCH_BLACKHOLE)
    // The bank is the unpacker's own, and is given.
    push_now<0x43u << 24 | kUnpacker << 23 | 1 << 8 | 1 << 5 | 1>();
#else
    push_now<0x43u << 24 | kUnpacker << 23 | 1>();
    push_now<0x43u << 24 | kUnpacker << 23 | 7>();
#endif
}

// A tile into SrcA; with `zeros_to_b`, zeros into SrcB.
template <bool kZerosToB>
FORCE_INLINE void unpack_to_a(uint32_t cb_id, uint32_t tile) {
    load_address<0>(cb_id, tile);
    before_addresses<unpacker_done(0)>();
    write_address<0>();
    if constexpr (kZerosToB) {
        give_zeros<1>();
    } else {
        // The instruction behind WRCFG does not see what it wrote (WRCFG.md).
        push_now<kNop>();
    }
    push_now<unpack_row(0, kGivesBank)>();
    unpacking = true;
}

// The addresses are loaded.
FORCE_INLINE void unpack_both() {
    before_addresses<unpacker_done(0) | unpacker_done(1)>();
    write_address<1>();
    write_address<0>();
    push_now<unpack_row(1, kGivesBank)>();
    push_now<unpack_row(0, kGivesBank)>();
    unpacking = true;
}

FORCE_INLINE void unpack_to_both(uint32_t cb_a, uint32_t tile_a, uint32_t cb_b, uint32_t tile_b) {
    load_address<0>(cb_a, tile_a);
    load_address<1>(cb_b, tile_b);
    unpack_both();
}

// The other way round.
template <bool kZerosToA>
FORCE_INLINE void unpack_to_b(uint32_t cb_id, uint32_t tile) {
    load_address<1>(cb_id, tile);
    before_addresses<unpacker_done(1)>();
    write_address<1>();
    if constexpr (kZerosToA) {
        give_zeros<0>();
    } else {
        push_now<kNop>();
    }
    push_now<unpack_row(1, kGivesBank)>();
    unpacking = true;
}

// When MATH has given the tile of Dst: the address in L1, which is loaded, and the place in Dst.
FORCE_INLINE void begin_unpack_to_dst(uint32_t index) {
    push_now<semaphore_wait(kHoldSynchronization | kHoldConfiguration | kHoldUnpackers, kGivenTile, kWhileZero)>();
    push_now<semaphore_get(kGivenTile)>();
    before_addresses<unpacker_done(0)>();
    write_address<0>();
    change_bits<kUnpackPlace, 0xFFFF>(kSkipped + (unpack_section * kSectionTiles + index) * kTileData);
}

FORCE_INLINE void end_unpack_to_dst() {
    push_now<stall_wait(kHoldSynchronization, unpacker_done(0))>();
    push_now<semaphore_post(kUnpackedTile)>();
    unpacking = true;
}

FORCE_INLINE void unpack_to_dst(uint32_t cb_id, uint32_t tile, uint32_t index) {
    load_address<0, true>(cb_id, tile);
    begin_unpack_to_dst(index);
    push_now<unpack_row(0, 0)>();
    end_unpack_to_dst();
}

// Of the second tile only a row of the faces beside each other, which goes to row 0 of the upper faces of SrcB.
FORCE_INLINE void unpack_with_row(uint32_t cb_a, uint32_t tile_a, uint32_t cb_b, uint32_t tile_b, uint32_t row) {
    if (row == 0) {
        unpack_to_both(cb_a, tile_a, cb_b, tile_b);
        return;
    }
    HALLMARK_REQUIRE(
        row < kOperands.of[cb_b & 63].rows, "a tile has no such row: bcast_row_idx is less than its rows, of which most have 32");
    const uint32_t face = row / kFaceRows * 2 * kFaceData;
    load_address<0>(cb_a, tile_a);
    load_address<1>(cb_b, tile_b);
    push(set_part_of_row(
        kSecondUnpacker, face + row % kFaceRows * kFaceColumns, (faces_beside(cb_b) - 1) * kFaceData + kFaceColumns));
    unpack_both();
    push(set_row(kSecondUnpacker, kTileData));
}

FORCE_INLINE void transpose_faces(bool transposes) {
    prepared_for_dst = false;
    write_source();
    if (transposes != transposes_faces) {
        push_now<stall_wait(kHoldConfiguration, unpacker_done(0))>();
        change_bits<kUnpackers[0].output_format, 1 << 8>(transposes ? 1 << 8 : 0);
        transposes_faces = transposes;
    }
}

// The tiles that the unpackers were to read may be given back.
FORCE_INLINE void finish_unpacking() {
    if (unpacking) {
        finish_pushed();
        unpacking = false;
    }
}

template <uint32_t kUnpacker>
FORCE_INLINE void write_unpacked_format() {
    const DataFormat format = format_of_unpacker(kUnpacker);
    push_now<stall_wait(kHoldConfiguration, unpacker_done(kUnpacker))>();
    change_bits<kUnpackers[kUnpacker].format, 0xF>(code_of(format));
    change_bits<kUnpackers[kUnpacker].output_format, 0xF>(code_of(source_format(format)));
    if constexpr (kHasBytes) {
        change_bits<kAluFormats, kUnsignedSources[kUnpacker]>(sign_of_source(kUnpacker, format));
    }
}

template <uint32_t kUnpacker>
FORCE_INLINE void change_unpacked_format(uint32_t cb_id) {
    unpacked_formats[kUnpacker] = format_of(cb_id);
    if constexpr (kUnpacker == 0) {
        write_source();
    }
    write_unpacked_format<kUnpacker>();
    if constexpr (kUnpacker == 0 && kHasBytes) {
        write_unpacked_format<1>();
    }
    if constexpr (kUnpacker == 0 && has_tiles_for_dst()) {
        if (prepared_for_dst && goes_to_dst(cb_id)) {
            write_dst(cb_id);
        }
    }
}

}  // namespace hallmark

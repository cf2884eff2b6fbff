// UNPACK: tiles out of a matrix whose rows stand in L1 one behind the other.
#pragma once

#include "hallmark/unpack_thread.h"

namespace hallmark {

// UNPACR: a row of a face. The counters of the input and of SrcA go to the next row.
inline constexpr uint32_t kUnpackRowOfFace = unpack_row(0, (1 << 6 | 1 << 2) << 15);

// Bytes of 16 data in SrcA.
constexpr uint32_t bytes_of_source_row(DataFormat format) {
    return source_format(format) == DataFormat::Tf32 || is_word(format) ? 64 : 32;
}

// Rows of so many tiles, of the circular buffer's format.
FORCE_INLINE uint32_t rows_of(uint32_t cb_id, uint32_t tiles) { return tiles << 8 | 0x80 | code_of(format_of(cb_id)); }

FORCE_INLINE void check_rows_are_prepared(uint32_t cb_id, uint32_t tiles) {
    HALLMARK_REQUIRE(
        prepared_rows == rows_of(cb_id, tiles),
        "the unpacker is prepared for rows of another width or data_format: call tilize_init(icb, block, ocb) with this block and "
        "circular buffer before");
}

// The rows of a matrix are so many tiles wide.
FORCE_INLINE void begin_rows(uint32_t cb_id, uint32_t tiles) {
    prepared_rows = rows_of(cb_id, tiles);
    push_now<stall_wait(kHoldConfiguration, unpacker_done(0))>();
    change_bits<kUnpackStrides[0], kUnpackRowStrideBits>(bytes_of_source_row(format_of(cb_id)) << kUnpackRowStride);
    change_bits<kUnpackRow, 0xFFFF>(tiles * kTileColumns);
}

FORCE_INLINE void end_rows() {
    prepared_rows = 0;
    push_now<stall_wait(kHoldConfiguration, unpacker_done(0))>();
    change_bits<kUnpackStrides[0], kUnpackRowStrideBits>(0);
    change_bits<kUnpackRow, 0xFFFF>(kFaceData);
    push(set_row(kFirstUnpacker, kTileData));
    push(clear_y(kFirstUnpacker));
}

template <uint32_t kLast>
FORCE_INLINE void unpack_face(uint32_t face) {
    push(set_input_y(kFirstUnpacker, face / 2 * kFaceRows));
    push(set_output_y(kFirstUnpacker, face * kFaceRows));
    for (uint32_t row = 1; row < kFaceRows; ++row) {
        push_now<kUnpackRowOfFace>();
    }
    push_now<kUnpackRowOfFace | kLast>();
}

template <uint32_t kLast>
FORCE_INLINE void unpack_faces() {
    push(set_part_of_row(kFirstUnpacker, 0, kFaceColumns));
    unpack_face<0>(0);
    unpack_face<0>(2);
    push(set_part_of_row(kFirstUnpacker, kFaceColumns, kFaceColumns));
    unpack_face<0>(1);
    unpack_face<kLast>(3);
}

template <bool kUnpacksToDst>
FORCE_INLINE void load_columns(uint32_t cb_id, uint32_t tile) {
    check_unpacking<0>(cb_id);
    check_target<kUnpacksToDst>();
    const uint32_t lines = kTileColumns * bytes_in_l1(format_of(cb_id)) / 16;
    const LocalCBInterface& buffer = get_local_cb_interface(cb_id);
    const uint32_t line = buffer.fifo_rd_ptr + lines * tile;
    check_unpacked_line(buffer, line);
    load_line<0>(line);
}

// 32 columns of a matrix, counted in tiles, into SrcA; with `zeros_to_b`, zeros into SrcB.
template <bool kZerosToB>
FORCE_INLINE void unpack_columns(uint32_t cb_id, uint32_t tile) {
    load_columns<false>(cb_id, tile);
    before_addresses<unpacker_done(0)>();
    write_address<0>();
    if constexpr (kZerosToB) {
        give_zeros<1>();
    } else {
        // The instruction behind WRCFG does not see what it wrote (WRCFG.md).
        push_now<kNop>();
    }
    unpack_faces<kGivesBank>();
    unpacking = true;
}

FORCE_INLINE void unpack_columns_to_dst(uint32_t cb_id, uint32_t tile, uint32_t index) {
    load_columns<true>(cb_id, tile);
    begin_unpack_to_dst(index);
    unpack_faces<0>();
    end_unpack_to_dst();
}

}  // namespace hallmark

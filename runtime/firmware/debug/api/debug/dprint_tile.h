// Elements of a tile as an argument of DPRINT, spelled as in TT-Metalium's header of this name (0.81.1):
// DPRINT("{}", TSLICE(cb_id, tile, SliceRange::hw041(), ...)). A tile at the front of a circular buffer is printed between
// cb_wait_front and cb_pop_front, one at its back between cb_reserve_back and cb_push_back.
#pragma once

#include <stdint.h>

#include "hallmark/kernel_state.h"
#include "hallmark/print.h"
#include "hallmark/refused.h"
#include "hallmark/tile_tables.h"

// Which address of a circular buffer is meant, and on which side of it the kernel is.
using dprint_tslice_ptr_t = bool;
using dprint_tslice_cb_t = bool;
#define TSLICE_RD_PTR true
#define TSLICE_WR_PTR false
#define TSLICE_INPUT_CB true
#define TSLICE_OUTPUT_CB false

#ifdef HALLMARK_COMPUTE
#define HALLMARK_CB_UNIT_SHIFT 4
#else
#define HALLMARK_CB_UNIT_SHIFT 0
#endif
// In bytes, whatever the processor counts in.
#define CB_RD_PTR(id) (get_local_cb_interface(id).fifo_rd_ptr << HALLMARK_CB_UNIT_SHIFT)
#define CB_RD_SZ(id) (get_local_cb_interface(id).fifo_size << HALLMARK_CB_UNIT_SHIFT)
#define CB_WR_PTR(id) (get_local_cb_interface(id).fifo_wr_ptr << HALLMARK_CB_UNIT_SHIFT)
#define CB_PAGE_COUNT(id) (get_local_cb_interface(id).fifo_num_pages)
#define CB_PAGE_SIZE(id) (get_local_cb_interface(id).fifo_page_size << HALLMARK_CB_UNIT_SHIFT)

// The elements [h0:h1:hs, w0:w1:ws] of a tile, in numpy's notation.
struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws;

    static SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
    static SliceRange h0_32_w1() { return {0, 32, 1, 1, 2, 1}; }
    static SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
} __attribute__((packed));

enum dprint_tileslice_return_code_enum {
    DPrintOK = 2,
    DPrintErrorBadTileIdx = 3,
    DPrintErrorBadPointer = 4,
    DPrintErrorUnsupportedFormat = 5,
    DPrintErrorMath = 6,
    DPrintErrorEthernet = 7,
};

// What is sent; the host knows this layout (printed_tile.rs).
template <int kMaxBytes = 0>
struct TileSliceHostDev {
    uint32_t cb_ptr;
    SliceRange slice_range;
    uint8_t cb_id;
    uint8_t data_format;
    uint8_t data_count;
    uint8_t endl_rows;
    uint8_t return_code;
    uint8_t pad;
    uint8_t data[kMaxBytes];
} __attribute__((packed));

namespace hallmark {

// From which pointer a tile is counted if the kernel does not say it, or has no other.
#if defined(COMPILE_FOR_BRISC) || defined(UCK_CHLKC_UNPACK)
inline constexpr dprint_tslice_ptr_t kSlicePointer = TSLICE_RD_PTR;
#else
inline constexpr dprint_tslice_ptr_t kSlicePointer = TSLICE_WR_PTR;
#endif

template <int kBytes>
inline TileSliceHostDev<0>& header_of(TileSliceHostDev<kBytes>& slice) {
    return *reinterpret_cast<TileSliceHostDev<0>*>(&slice);
}

struct TileShape {
    uint32_t rows;
    uint32_t columns;
    uint32_t face_rows;
    uint32_t face_columns;
};

// Bytes of an element in a message: those of a block format have their exponent before them. 0 for a format that is not
// printed.
constexpr uint32_t printed_bytes(DataFormat format) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Int32:
        case DataFormat::UInt32: return 4;
        case DataFormat::Float16_b:
        case DataFormat::UInt16:
        case DataFormat::Bfp8_b:
        case DataFormat::Bfp4_b: return 2;
        case DataFormat::Int8:
        case DataFormat::UInt8: return 1;
        default: return 0;
    }
}

// Takes the elements of a tile at an address into a message with `room` bytes. What is beyond the tile is left out.
// `by_faces` says that the elements lie face by face, and otherwise row by row.
inline __attribute__((noinline)) void take_slice(TileSliceHostDev<0>& slice, uint8_t* to, uint32_t room,
                                                 const TileShape& shape, bool by_faces) {
    const DataFormat format = static_cast<DataFormat>(slice.data_format);
    const uint32_t bytes = printed_bytes(format);
    if (bytes == 0) {
        slice.return_code = DPrintErrorUnsupportedFormat;
        return;
    }
    const bool has_exponents = format == DataFormat::Bfp8_b || format == DataFormat::Bfp4_b;
    const volatile uint8_t* const tile = reinterpret_cast<const volatile uint8_t*>(slice.cb_ptr);
    const uint32_t face = shape.face_rows * shape.face_columns;
    // An exponent for each row of a face, up to the next line of L1.
    const uint32_t exponents = (shape.rows * shape.columns / shape.face_columns + 15) & ~15u;
    SliceRange& range = slice.slice_range;
    range.hs = range.hs == 0 ? 1 : range.hs;
    range.ws = range.ws == 0 ? 1 : range.ws;
    range.h1 = range.h1 > shape.rows ? shape.rows : range.h1;
    range.w1 = range.w1 > shape.columns ? shape.columns : range.w1;
    slice.return_code = DPrintOK;
    uint32_t taken = 0;
    for (uint32_t h = range.h0; h < range.h1; h += range.hs) {
        for (uint32_t w = range.w0; w < range.w1; w += range.ws) {
            if ((taken + 1) * bytes > room) {
                slice.data_count = static_cast<uint8_t>(taken);
                return;
            }
            uint32_t index = h * shape.columns + w;
            if (by_faces) {
                const uint32_t faces_before =
                    h / shape.face_rows * (shape.columns / shape.face_columns) + w / shape.face_columns;
                index = faces_before * face + h % shape.face_rows * shape.face_columns + w % shape.face_columns;
            }
            uint8_t* element = to + taken * bytes;
            if (has_exponents) {
                element[0] = tile[index / shape.face_columns];
                const volatile uint8_t* const mantissas = tile + exponents;
                element[1] = format == DataFormat::Bfp8_b ? mantissas[index]
                                                          : mantissas[index / 2] >> (index % 2 * 4) & 0xF;
            } else {
                for (uint32_t byte = 0; byte < bytes; ++byte) {
                    element[byte] = tile[index * bytes + byte];
                }
            }
            ++taken;
        }
    }
    slice.data_count = static_cast<uint8_t>(taken);
}

#ifndef UCK_CHLKC_MATH
// The same of a tile of a circular buffer.
inline __attribute__((noinline)) void take_slice_of_buffer(TileSliceHostDev<0>& slice, uint8_t* to, uint32_t room,
                                                           int tile, bool from_read_pointer, bool by_faces) {
    const uint32_t cb = slice.cb_id;
#ifdef HALLMARK_TILES
    const uint32_t tile_bytes = unpack_tile_size[cb];
    const uint32_t rows = unpack_tile_r_dim[cb];
    const uint32_t columns = unpack_tile_c_dim[cb];
    slice.data_format = tile_bytes == 0 ? static_cast<uint8_t>(DataFormat::Invalid) : unpack_src_format[cb];
#else
    const uint32_t tile_bytes = 0;
    const uint32_t rows = 0;
    const uint32_t columns = 0;
    slice.data_format = static_cast<uint8_t>(DataFormat::Invalid);
#endif
    if (cb >= kCircularBuffers) {
        slice.cb_ptr = 0;
        slice.return_code = DPrintErrorBadPointer;
        return;
    }
    const uint32_t first = from_read_pointer ? CB_RD_PTR(cb) : CB_WR_PTR(cb);
    slice.cb_ptr = first + static_cast<uint32_t>(tile) * tile_bytes;
    if (CB_RD_SZ(cb) == 0) {
        slice.return_code = DPrintErrorBadPointer;
        return;
    }
    if (rows == 0 || columns == 0) {
        slice.return_code = DPrintErrorUnsupportedFormat;
        return;
    }
    // Tiles that a kernel may use lie before the end of the ring.
    const uint32_t end = get_local_cb_interface(cb).fifo_limit << HALLMARK_CB_UNIT_SHIFT;
    if (tile < 0 || (static_cast<uint64_t>(tile) + 1) * tile_bytes > end - first) {
        slice.return_code = DPrintErrorBadTileIdx;
        return;
    }
    invalidate_l1_cache();
    const uint32_t face_rows = rows < 16 ? rows : 16;
    const uint32_t face_columns = columns < 16 ? columns : 16;
    take_slice(slice, to, room, {rows, columns, face_rows, face_columns}, by_faces);
}
#endif

}  // namespace hallmark

// kMaxBytes is the room for elements. If a slice has more, the rest is left out, and the print says so.
template <int kMaxBytes = 64>
struct TileSlice : TileSliceHostDev<kMaxBytes> {
    static_assert(kMaxBytes == 64 || kMaxBytes == 128,
                  "TileSlice has room for 64 or 128 bytes: TT-Metalium's host prints no other");

    [[gnu::noinline]] TileSlice(uint8_t cb, int tile_idx, const SliceRange& slice_range,
#ifndef HALLMARK_COMPUTE
                                [[maybe_unused]] dprint_tslice_cb_t cb_type,
                                dprint_tslice_ptr_t ptr_type = hallmark::kSlicePointer,
#endif
                                bool endl_rows = true, bool print_untilized = true)
        : TileSliceHostDev<kMaxBytes>{} {
#if defined(PROFILE_KERNEL)
        static_cast<void>(tile_idx);
        static_cast<void>(print_untilized);
#else
        this->slice_range = slice_range;
        this->cb_id = cb;
        this->endl_rows = endl_rows;
#if defined(UCK_CHLKC_MATH)
        static_cast<void>(tile_idx);
        static_cast<void>(print_untilized);
        this->return_code = DPrintErrorMath;
#else
#ifdef HALLMARK_COMPUTE
        constexpr dprint_tslice_ptr_t ptr_type = hallmark::kSlicePointer;
#endif
        hallmark::take_slice_of_buffer(hallmark::header_of(*this), this->data, kMaxBytes, tile_idx, ptr_type, print_untilized);
#endif
#endif
    }
} __attribute__((packed));

using TSLICE = TileSlice<64>;

namespace hallmark {

template <int kMaxBytes>
struct PrintArgument<TileSlice<kMaxBytes>, false> {
    static constexpr PrintKind kind = PrintKind::Tile;
    static constexpr uint32_t words = 1 + sizeof(TileSlice<kMaxBytes>) / 4;
    static inline __attribute__((always_inline)) void store(uint32_t* to, const TileSlice<kMaxBytes>& slice) {
        to[0] = static_cast<uint32_t>(kind) | ((words - 1) << 8);
        __builtin_memcpy(to + 1, &slice, sizeof(slice));
    }
};

}  // namespace hallmark

// Upstream's compiles in no kernel either: its TileSlice has no constructor without arguments there.
HALLMARK_REFUSED_RESULT(uint32_t, tile_slice_from_l1, "it does not compile in kernels of TT-Metalium 0.81.1: print TSLICE")

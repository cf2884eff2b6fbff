// Prints pages of L1, spelled as in TT-Metalium's header of this name: a line for each page, with its number.
#pragma once

#include <stdint.h>

#include "api/debug/dprint.h"

#include "hallmark/kernel_state.h"

// The state of a circular buffer on this processor. Upstream's last number says how far a page is filled; here pages are filled
// whole.
inline void print_cb_details(uint32_t cb_id) {
    const LocalCBInterface& buffer = get_local_cb_interface(cb_id);
    DPRINT(
        "cb_id {}: {{ size: {}, limit: {}, page_size: {}, num_pages: {}, rd_ptr: {}, wr_ptr: {}, wr_tile_ptr: {} }}\n", cb_id,
        buffer.fifo_size, buffer.fifo_limit, buffer.fifo_page_size, buffer.fifo_num_pages, buffer.fifo_rd_ptr,
        buffer.fifo_wr_ptr, 0u);
}

#if defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)

namespace hallmark {

// `show` prints an element.
template <typename Element, typename Show>
inline void print_pages(uint32_t address, uint32_t elements, uint32_t pages, uint32_t first, Show show) {
    const volatile Element* next = reinterpret_cast<const volatile Element*>(address) + first * elements;
    const uint32_t end = first + pages;
    for (uint32_t page = first; page != end; ++page) {
        DPRINT("{}: ", page);
        for (const volatile Element* const stop = next + elements; next != stop; ++next) {
            show(*next);
        }
        DPRINT("\n");
    }
}

}  // namespace hallmark

namespace tt::data_movement::common {

inline void print_bf16_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    hallmark::print_pages<uint16_t>(
        l1_addr, elts_per_page, npages, start, [](uint16_t element) { DPRINT("{} ", bf16_t(element)); });
}

inline void print_f32_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    hallmark::print_pages<float>(
        l1_addr, elts_per_page, npages, start, [](float element) { DPRINT("{} ", element); });
}

inline void print_u8_pages(uint32_t l1_addr, uint32_t bytes_per_page, uint32_t npages, uint32_t start = 0) {
    hallmark::print_pages<uint8_t>(
        l1_addr, bytes_per_page, npages, start, [](uint8_t element) { DPRINT("0x{:02X} ", element); });
}

inline void print_u16_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    hallmark::print_pages<uint16_t>(
        l1_addr, elts_per_page, npages, start, [](uint16_t element) { DPRINT("{} ", element); });
}

inline void print_u32_pages(uint32_t l1_addr, uint32_t elts_per_page, uint32_t npages, uint32_t start = 0) {
    hallmark::print_pages<uint32_t>(
        l1_addr, elts_per_page, npages, start, [](uint32_t element) { DPRINT("{} ", element); });
}

}  // namespace tt::data_movement::common

#endif

#ifdef HALLMARK_COMPUTE

namespace tt::compute::common {

// Rows of a tile of a circular buffer, a line for each.
inline void print_tile_rows(uint32_t cb_idx, uint32_t tile_idx, bool untilize = false, uint16_t start_row = 0,
                            uint16_t end_row = 32, uint8_t start_col = 0, uint8_t end_col = 32) {
    DPRINT("cb_idx: {} tile_idx: {}\n", cb_idx, tile_idx);
    DPRINT("======\n");
    for (uint32_t row = start_row; row < end_row; ++row) {
        const SliceRange slice = {
            static_cast<uint8_t>(row), static_cast<uint8_t>(row + 1), 1, start_col, end_col, 1};
        DPRINT("{}: {}\n", row, TileSlice(cb_idx, tile_idx, slice, true, untilize));
    }
    DPRINT("++++++\n");
}

// The rows of a tile.
inline void print_full_tile(uint32_t cb_id, uint32_t tile_id = 0, bool untilize = false) {
    DPRINT("======\n");
    for (uint32_t row = 0; row < 32; ++row) {
        const SliceRange slice = {static_cast<uint8_t>(row), static_cast<uint8_t>(row + 1), 1, 0, 32, 1};
        DPRINT("{}: {}\n", row, TileSlice(cb_id, tile_id, slice, true, untilize));
    }
    DPRINT("++++++\n");
}

}  // namespace tt::compute::common

#endif

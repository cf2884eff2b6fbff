// Reads one page into the tile of each of several circular buffers, and prints elements of them. Then it prints what is no tile,
// and writes a word.
// Compile-time arguments: 0 the number of circular buffers, from index 0 on; TensorAccessor of the page; that of the output.
// Runtime arguments: 0 the page, 1 the output, 2 whether an index is printed that is not configured.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint.h"
#include "api/debug/dprint_tile.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t buffers = get_compile_time_arg_val(0);
    constexpr auto page_args = TensorAccessorArgs<1>();
    constexpr auto output_args = TensorAccessorArgs<page_args.next_compile_time_args_offset()>();
    const auto page = TensorAccessor(page_args, get_arg_val<uint32_t>(0));

    for (uint32_t cb = 0; cb < buffers; ++cb) {
        cb_reserve_back(cb, 1);
        noc_async_read(page.get_noc_addr(0), get_write_ptr(cb), get_tile_size(cb));
        noc_async_read_barrier();
        cb_push_back(cb, 1);
        cb_wait_front(cb, 1);
        DPRINT("{} at the front:\n{}", cb, TSLICE(cb, 0, SliceRange{0, 32, 20, 3, 32, 14}, TSLICE_INPUT_CB, TSLICE_RD_PTR));
    }
    // The ring of the first one has a second page, which the kernel owns by its write pointer, and which holds the same.
    cb_reserve_back(0, 1);
    noc_async_read(page.get_noc_addr(0), get_write_ptr(0), get_tile_size(0));
    noc_async_read_barrier();
    DPRINT("at the back:\n{}", TSLICE(0, 0, SliceRange::h0_w0_32(), TSLICE_OUTPUT_CB, TSLICE_WR_PTR));
    DPRINT("behind the front:\n{}", TSLICE(0, 1, SliceRange::hw041(), TSLICE_INPUT_CB, TSLICE_RD_PTR));
    DPRINT("as they lie: {}.\n", TSLICE(0, 0, SliceRange{0, 2, 1, 14, 18, 1}, TSLICE_INPUT_CB, TSLICE_RD_PTR, false, false));
    DPRINT("more than fits:\n{}", TSLICE(0, 0, SliceRange{0, 8, 1, 0, 16, 1}, TSLICE_INPUT_CB, TSLICE_RD_PTR));

    // No tile: before the front, beyond the end of the ring.
    DPRINT("{}", TSLICE(0, -1, SliceRange::hw041(), TSLICE_INPUT_CB, TSLICE_RD_PTR));
    DPRINT("{}", TSLICE(0, 2, SliceRange::hw041(), TSLICE_INPUT_CB, TSLICE_RD_PTR));
    if (get_arg_val<uint32_t>(2) != 0) {
        // Nor has an index that the program does not configure.
        DPRINT("{}", TSLICE(20, 0, SliceRange::hw041(), TSLICE_INPUT_CB));
    }

    const uint32_t l1_address = get_read_ptr(1);
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    *word = buffers;
    // The word must be in L1 before a request reads it.
    while (*word != buffers) {
    }
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1));
    noc_async_write(l1_address, output.get_noc_addr(0), 4);
    noc_async_write_barrier();
}

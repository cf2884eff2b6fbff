// Copies tiles whose numbers stand in a page of another circular buffer. All three threads take the numbers from there: for the
// tile, for its place in Dst, and for the tile that is packed.
// Compile-time arguments: 0 circular buffer of the tiles, 1 of the numbers, 2 output circular buffer, 3 tiles, which are read from
// the last number to the first; 4 way (0 by the object's function, from the first page; 1 by words, from the second one; 2 by the
// second page's address).

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/dataflow/dataflow_buffer.h"

constexpr uint32_t kNumbers = get_compile_time_arg_val(1);
constexpr uint32_t kWay = get_compile_time_arg_val(4);

// Number `index` of a page, below 256.
uint32_t number_of(DataflowBuffer& numbers, uint32_t index) {
    if constexpr (kWay == 0) {
        return numbers.read_tile_value<uint16_t>(0, index);
    } else if constexpr (kWay == 1) {
        return read_tile_value(kNumbers, 1, index / 2) >> index % 2 * 16 & 0xFF;
    } else {
        return reinterpret_cast<volatile uint16_t*>(get_tile_address(kNumbers, 1))[index] & 0xFF;
    }
}

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(2);
    constexpr uint32_t tiles = get_compile_time_arg_val(3);
    DataflowBuffer numbers(kNumbers);
    DataflowBuffer out(cb_out);

    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in);
    cb_wait_front(cb_in, tiles);
    numbers.wait_front(2);
    for (uint32_t tile = tiles; tile > 0; --tile) {
        const uint32_t number = number_of(numbers, tile - 1);
        tile_regs_acquire();
        copy_tile(cb_in, number, number);
        tile_regs_commit();
        out.reserve_back(1);
        tile_regs_wait();
        pack_tile(number, cb_out);
        tile_regs_release();
        out.push_back(1);
    }
    numbers.pop_front(2);
    cb_pop_front(cb_in, tiles);
}

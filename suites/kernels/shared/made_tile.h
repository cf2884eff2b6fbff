// A tile of Dst that becomes a page of a circular buffer, for kernels that compute one tile after the other.
#pragma once

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/pack.h"

// `compute` leaves the tile in tile 0 of Dst.
template <typename Compute>
ALWI void make_tile(uint32_t cb_out, Compute compute) {
    tile_regs_acquire();
    compute();
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
}

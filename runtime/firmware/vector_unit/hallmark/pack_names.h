// Names with which kernels let PACK push instructions of the vector unit. Here MATH alone does: a kernel may name them, but not
// call them.
#pragma once

#include <stdint.h>

#include "hallmark/refused.h"

#define HALLMARK_REFUSED_ON_PACK(name) \
    HALLMARK_REFUSED(name, "PACK pushes no instructions of the vector unit here: call the function without _pack on MATH")

#ifdef TRISC_PACK
namespace hallmark {

HALLMARK_REFUSED_ON_PACK(low_level_instruction)

}  // namespace hallmark

#define TTI_SEMWAIT(...) hallmark::low_level_instruction(__VA_ARGS__)
#define TTI_STALLWAIT(...) hallmark::low_level_instruction(__VA_ARGS__)
#define TT_SETC16(...) hallmark::low_level_instruction(__VA_ARGS__)
#define DEST_TARGET_REG_CFG_MATH_Offset_ADDR32 1

namespace ckernel {

struct p_stall {
    static constexpr uint32_t STALL_TDMA = 0x1, STALL_PACK = 0x4, STALL_CFG = 0x80, STALL_ON_ZERO = 1, WAIT_SFPU = 0x4000;
};

namespace semaphore {
constexpr uint32_t MATH_PACK = 1;
constexpr uint32_t t6_sem(uint32_t semaphore) { return 1 << semaphore; }
}  // namespace semaphore

namespace packer {
constexpr uint32_t get_packer_dest_offset() { return 0; }
}  // namespace packer

}  // namespace ckernel

#endif

namespace ckernel {

HALLMARK_REFUSED_ON_PACK(silu_tile_init_pack)
HALLMARK_REFUSED_ON_PACK(silu_tile_pack)
HALLMARK_REFUSED_ON_PACK(tanh_tile_init_pack)
HALLMARK_REFUSED_ON_PACK(tanh_tile_pack)
HALLMARK_REFUSED_ON_PACK(gelu_tile_init_pack)
HALLMARK_REFUSED_ON_PACK(gelu_tile_pack)
HALLMARK_REFUSED_ON_PACK(gelu_tanh_tile_init_pack)
HALLMARK_REFUSED_ON_PACK(gelu_tanh_tile_pack)
HALLMARK_REFUSED_ON_PACK(relu_max_tile_init_pack)
HALLMARK_REFUSED_ON_PACK(relu_max_tile_pack)
HALLMARK_REFUSED_ON_PACK(sigmoid_tile_init_pack)
HALLMARK_REFUSED_ON_PACK(sigmoid_tile_pack)
HALLMARK_REFUSED_ON_PACK(hardsigmoid_tile_init_pack)
HALLMARK_REFUSED_ON_PACK(hardsigmoid_tile_pack)
HALLMARK_REFUSED_ON_PACK(hardtanh_tile_init_pack)
HALLMARK_REFUSED_ON_PACK(hardtanh_tile_pack)
HALLMARK_REFUSED_ON_PACK(selu_tile_init_pack)
HALLMARK_REFUSED_ON_PACK(selu_tile_pack)
HALLMARK_REFUSED_ON_PACK(softplus_tile_init_pack)
HALLMARK_REFUSED_ON_PACK(softplus_tile_pack)

}  // namespace ckernel

#undef HALLMARK_REFUSED_ON_PACK

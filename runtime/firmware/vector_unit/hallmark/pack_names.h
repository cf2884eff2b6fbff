// Names with which kernels let PACK push instructions of the vector unit. Here MATH alone does: a kernel may name them, but not
// call them.
#pragma once

#include <stdint.h>

#define HALLMARK_REFUSED(name)                                                                                     \
    template <auto... VALUES, typename... ARGUMENTS>                                                               \
    [[gnu::error("PACK pushes no instructions of the vector unit here: call the function without _pack on MATH")]] \
    void name(ARGUMENTS...);

#ifdef TRISC_PACK
namespace hallmark {

HALLMARK_REFUSED(low_level_instruction)

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

HALLMARK_REFUSED(silu_tile_init_pack)
HALLMARK_REFUSED(silu_tile_pack)
HALLMARK_REFUSED(tanh_tile_init_pack)
HALLMARK_REFUSED(tanh_tile_pack)
HALLMARK_REFUSED(gelu_tile_init_pack)
HALLMARK_REFUSED(gelu_tile_pack)
HALLMARK_REFUSED(gelu_tanh_tile_init_pack)
HALLMARK_REFUSED(gelu_tanh_tile_pack)
HALLMARK_REFUSED(relu_max_tile_init_pack)
HALLMARK_REFUSED(relu_max_tile_pack)
HALLMARK_REFUSED(sigmoid_tile_init_pack)
HALLMARK_REFUSED(sigmoid_tile_pack)
HALLMARK_REFUSED(hardsigmoid_tile_init_pack)
HALLMARK_REFUSED(hardsigmoid_tile_pack)
HALLMARK_REFUSED(hardtanh_tile_init_pack)
HALLMARK_REFUSED(hardtanh_tile_pack)
HALLMARK_REFUSED(selu_tile_init_pack)
HALLMARK_REFUSED(selu_tile_pack)
HALLMARK_REFUSED(softplus_tile_init_pack)
HALLMARK_REFUSED(softplus_tile_pack)

}  // namespace ckernel

#undef HALLMARK_REFUSED

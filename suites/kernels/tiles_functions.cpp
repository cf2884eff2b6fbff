// Functions of tiles in Dst, one after the other.
// Definitions: FUNCTIONS, as in F(exp_tile_init(); exp_tile(0)) for each function, whose calls make tile 0 the result, or W(…)
// for one of integers, and those for which sfpu_split_includes.h includes the functions' headers.
// Compile-time arguments: 0 output circular buffer, 1 tiles, 2 input circular buffers, which are those from index 0 on: the first
// one's tile is tile 0 of Dst, the second one's tile 1.
// The output has all tiles of the first function, then those of the second one, and so on.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/sfpu_split_includes.h"
#include "api/compute/tile_move_copy.h"

#define F(...)                                         \
    for (uint32_t tile = 0; tile < tiles; ++tile) {    \
        tile_regs_acquire();                           \
        for (uint32_t cb = 0; cb < operands; ++cb) {   \
            copy_tile(cb, tile, cb);                   \
        }                                              \
        __VA_ARGS__;                                   \
        tile_regs_commit();                            \
        cb_reserve_back(cb_out, 1);                    \
        tile_regs_wait();                              \
        pack_tile(0, cb_out);                          \
        tile_regs_release();                           \
        cb_push_back(cb_out, 1);                       \
    }

#ifdef SFPU_OP_TYPECAST_INCLUDE
constexpr uint32_t kFloats = static_cast<uint32_t>(DataFormat::Float32), kIntegers = static_cast<uint32_t>(DataFormat::Int32);
#endif

// The same of integers: the tiles become integers, and the result becomes floats again.
#define W(...)                                        \
    F(typecast_tile_init<kFloats, kIntegers>();       \
      for (uint32_t cb = 0; cb < operands; ++cb) {    \
          typecast_tile<kFloats, kIntegers>(cb);      \
      }                                               \
      __VA_ARGS__;                                    \
      typecast_tile_init<kIntegers, kFloats>();       \
      typecast_tile<kIntegers, kFloats>(0))

void kernel_main() {
    constexpr uint32_t cb_out = get_compile_time_arg_val(0);
    constexpr uint32_t tiles = get_compile_time_arg_val(1);
    constexpr uint32_t operands = get_compile_time_arg_val(2);

    compute_kernel_hw_startup(0, cb_out);
    copy_init(0);
    for (uint32_t cb = 0; cb < operands; ++cb) {
        cb_wait_front(cb, tiles);
    }
    FUNCTIONS
    for (uint32_t cb = 0; cb < operands; ++cb) {
        cb_pop_front(cb, tiles);
    }
}

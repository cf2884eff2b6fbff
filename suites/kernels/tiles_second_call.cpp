// Calls a function of the vector unit on a tile, does something else, and calls it on a copy of the tile.
// Definitions: FUNCTIONS, the name of two functions. Tile 2 of Dst is another tile, for second operands and for what comes between.
// Compile-time arguments: 0 input and 1 output circular buffer.
// Runtime arguments: 0 whether the init comes again before the second call.

#include <cstdint>

#include "api/compute/binary_max_min.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/cumsum.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/activations.h"
#include "api/compute/eltwise_unary/clamp.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/erf_erfc.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/gelu.h"
#include "api/compute/eltwise_unary/log1p.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/eltwise_unary/relu.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/eltwise_unary/sqrt.h"
#include "api/compute/eltwise_unary/tanh_derivative.h"
#include "api/compute/eltwise_unary/trigonometry.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/welford.h"

// Two functions: the first one's init and call, and what comes between its calls.
#define TWO(name, init_of_function, call_of_function, between_calls)    \
    struct name {                                                       \
        static ALWI void init() { init_of_function; }                   \
        static ALWI void call(uint32_t tile) { call_of_function; }      \
        static ALWI void between() { between_calls; }                   \
    };

TWO(exp_after_log, exp_tile_init(), exp_tile(tile), log_tile_init())
TWO(log_after_sqrt, log_tile_init(), log_tile(tile), sqrt_tile_init(); sqrt_tile(2))
TWO(sqrt_after_sin, sqrt_tile_init(), sqrt_tile(tile), sin_tile_init(); sin_tile(2))
TWO(sin_after_tan, sin_tile_init(), sin_tile(tile), tan_tile_init(); tan_tile(2))
TWO(tan_after_sin, tan_tile_init(), tan_tile(tile), sin_tile_init(); sin_tile(2))
TWO(tanh_after_silu, tanh_tile_init(), tanh_tile(tile), silu_tile_init(); silu_tile(2))
TWO(sigmoid_after_exp, sigmoid_tile_init(), sigmoid_tile(tile), exp_tile_init(); exp_tile(2))
TWO(expm1_after_exp, expm1_tile_init(), expm1_tile(tile), exp_tile_init(); exp_tile(2))
TWO(hardsigmoid_after_tanh, hardsigmoid_tile_init(), hardsigmoid_tile(tile), tanh_tile_init(); tanh_tile(2))
TWO(power_after_log, power_tile_init(), power_tile(tile, 0x40400000), log_tile_init(); log_tile(2))
TWO(quotient_after_log, div_binary_tile_init(), div_binary_tile(2, tile, tile), log_tile_init())
TWO(square_after_comparison, square_tile_init(), square_tile(tile), eqz_tile_init(); eqz_tile(2))
TWO(comparison_after_square, gtz_tile_init(), gtz_tile(tile), square_tile_init(); square_tile(2))
TWO(maximum_after_minimum, binary_max_tile_init(), binary_max_tile(tile, 2, tile), binary_min_tile_init())
TWO(sign_after_maximum, signbit_tile_init(), negative_tile(tile); signbit_tile(tile), binary_max_tile_init(); binary_max_tile(2, 2, 2))
TWO(exp_after_clamp, exp_tile_init(), exp_tile(tile), clamp_tile_init(); clamp_tile(2, 0xBF800000, 0x3F800000))
TWO(fast_gelu_after_init_of_exp, gelu_tile_init(), gelu_tile(tile), exp_tile_init())
TWO(fast_tanh_after_init_of_sign, tanh_tile_init<true>(), tanh_tile<true>(tile), signbit_tile_init())
TWO(fast_gelu_after_abs, gelu_tile_init(), gelu_tile(tile), abs_tile(2))
TWO(fast_tanh_after_fast_sigmoid, tanh_tile_init<true>(), tanh_tile<true>(tile), sigmoid_tile_init<true>(); (sigmoid_tile<VectorMode::RC, true>(2)))
TWO(fast_exp_after_exp, exp_tile_init<true>(), exp_tile<true>(tile), exp_tile_init(); exp_tile(2))
TWO(exp_after_maximum_with_scalar, exp_tile_init(), exp_tile(tile), unary_max_tile_init(); unary_max_tile(2, 0x3F000000))
TWO(recip_after_exp, recip_tile_init(), recip_tile(tile), exp_tile_init(); exp_tile(2))
TWO(error_function_after_exp, erf_tile_init(), erf_tile(tile), exp_tile_init(); exp_tile(2))
TWO(recip_after_silu, recip_tile_init(), recip_tile(tile), silu_tile_init(); silu_tile(2))
TWO(recip_after_maximum, recip_tile_init(), recip_tile(tile), binary_max_tile_init(); binary_max_tile(2, 2, 2))
TWO(derivative_of_tanh_after_exp, tanh_derivative_tile_init(), tanh_derivative_tile(tile), exp_tile_init(); exp_tile(2))
TWO(exp_after_relu_max, exp_tile_init(), exp_tile(tile), relu_max_tile_init(); relu_max_tile(2, 0x3F000000))
TWO(rsqrt_after_sqrt, rsqrt_tile_init(), rsqrt_tile(tile), sqrt_tile_init(); sqrt_tile(2))
TWO(log_after_log1p, log_tile_init(), log_tile(tile), log1p_tile_init(); log1p_tile(2))
TWO(silu_after_quotient, silu_tile_init(), silu_tile(tile), div_binary_tile_init(); div_binary_tile(2, 2, 2))
TWO(exp_after_comparison, exp_tile_init(), exp_tile(tile), eqz_tile_init(); eqz_tile(2))
TWO(exp_after_init_of_clamp, exp_tile_init(), exp_tile(tile), clamp_tile_init())
TWO(sign_after_exp, signbit_tile_init(), signbit_tile(tile), exp_tile_init(); exp_tile(2))
TWO(exp_after_abs, exp_tile_init(), exp_tile(tile), abs_tile_init(); abs_tile(2))
TWO(fast_gelu_after_init_of_abs, gelu_tile_init(), gelu_tile(tile), abs_tile_init(); eqz_tile_init())
TWO(fast_gelu_twice, gelu_tile_init(), gelu_tile(tile), gelu_tile(2))

// Functions that go on from the registers of the call before.
TWO(running_sums_after_abs, cumsum_tile_init(), cumsum_tile(tile, tile == 0), abs_tile(2))
TWO(statistic_after_abs, welford_init(), (welford_update<0>(tile, 0, {})), abs_tile(2))

// A modifier that moves Dst on is left.
#define UNCLAMPED                                                     \
    (exp_tile_init<true, 0x3F800000, InputClamping::None>());         \
    (exp_tile<true, false, InputClamping::None>(2))
TWO(abs_after_unclamped_exp, abs_tile_init(), abs_tile(tile), UNCLAMPED)

void kernel_main() {
    constexpr uint32_t cb_in = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const bool again = get_arg_val<uint32_t>(0) != 0;

    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in);
    cb_wait_front(cb_in, 2);
    tile_regs_acquire();
    copy_tile(cb_in, 0, 0);
    copy_tile(cb_in, 0, 1);
    copy_tile(cb_in, 1, 2);
    FUNCTIONS::init();
    FUNCTIONS::call(0);
    FUNCTIONS::between();
    if (again) {
        FUNCTIONS::init();
    }
    FUNCTIONS::call(1);
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(cb_out, 2);
    pack_tile(0, cb_out);
    pack_tile(1, cb_out);
    cb_push_back(cb_out, 2);
    tile_regs_release();
    cb_pop_front(cb_in, 2);
}

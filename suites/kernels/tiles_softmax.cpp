// The softmax of rows of tiles.
// Compile-time arguments: circular buffers of 0 the numbers, 1 a tile of ones, 2 the largest numbers, 3 the exponentials, 4 the
// reciprocals of their sums, 5 the output; 6 tiles of a row.
// Runtime arguments: 0 rows of tiles.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "shared/softmax.h"

void kernel_main() {
    constexpr SoftmaxBuffers cb = {
        get_compile_time_arg_val(0), get_compile_time_arg_val(1), get_compile_time_arg_val(2),
        get_compile_time_arg_val(3), get_compile_time_arg_val(4), get_compile_time_arg_val(5)};
    constexpr uint32_t columns = get_compile_time_arg_val(6);
    const uint32_t rows = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb.in, cb.ones, cb.out);
    cb_wait_front(cb.ones, 1);
    for (uint32_t row = 0; row < rows; ++row) {
        softmax_of_row<columns>(cb);
    }
    cb_pop_front(cb.ones, 1);
}

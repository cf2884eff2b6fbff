// Reads a flag from DRAM until it has a value, and then copies pages. With SPILLED, the compiler keeps on the stack where
// the flag lands, as it does in kernels that run out of registers.
// Compile-time arguments: 0 data (accessor), then the flag (accessor), then the result (accessor).
// Runtime arguments: 0 data, 1 its pages, 2 flag, 3 value of the flag, 4 L1 address of room for a page, 5 clocks before,
// 6 result, 7 whether it reads the flag again if the value is another.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

#ifdef SPILLED
#define KEPT volatile
#else
#define KEPT const
#endif

void kernel_main() {
    constexpr auto data_args = TensorAccessorArgs<0>();
    constexpr auto flag_args = TensorAccessorArgs<data_args.next_compile_time_args_offset()>();
    constexpr auto result_args = TensorAccessorArgs<flag_args.next_compile_time_args_offset()>();
    const auto data = TensorAccessor(data_args, get_arg_val<uint32_t>(0));
    const auto flag = TensorAccessor(flag_args, get_arg_val<uint32_t>(2));
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(6));
    const uint32_t value = get_arg_val<uint32_t>(3);
    KEPT uint32_t room = get_arg_val<uint32_t>(4);
    constexpr uint32_t size = 64;

    riscv_wait(get_arg_val<uint32_t>(5));
    const bool again = get_arg_val<uint32_t>(7) != 0;
    if (again) {
        do {
            noc_async_read(flag.get_noc_addr(0), room, size);
            noc_async_read_barrier();
        } while (*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(room) != value);
    } else {
        noc_async_read(flag.get_noc_addr(0), room, size);
        noc_async_read_barrier();
    }
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        noc_async_read(data.get_noc_addr(page), room, size);
        noc_async_read_barrier();
        noc_async_write(room, result.get_noc_addr(page), size);
        noc_async_write_barrier();
    }
}

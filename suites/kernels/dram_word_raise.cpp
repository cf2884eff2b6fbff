// Writes pages to DRAM, waits until they are there, and raises a flag there, a page of its own.
// Compile-time arguments: 0 data (accessor), then the flag (accessor).
// Runtime arguments: 0 data, 1 its pages, 2 flag, 3 value of the flag, 4 L1 address of room for a page, 5 clocks before.
// Word i of page p of the data becomes 100 * p + i.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto data_args = TensorAccessorArgs<0>();
    constexpr auto flag_args = TensorAccessorArgs<data_args.next_compile_time_args_offset()>();
    const auto data = TensorAccessor(data_args, get_arg_val<uint32_t>(0));
    const auto flag = TensorAccessor(flag_args, get_arg_val<uint32_t>(2));
    const uint32_t room = get_arg_val<uint32_t>(4);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(room);
    constexpr uint32_t size = 64;

    riscv_wait(get_arg_val<uint32_t>(5));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        for (uint32_t index = 0; index < size / 4; ++index) {
            words[index] = 100 * page + index;
        }
        // The stores have landed when the last one is loaded back.
        (void)words[size / 4 - 1];
        noc_async_write(room, data.get_noc_addr(page), size);
        noc_async_write_barrier();
    }
    for (uint32_t index = 0; index < size / 4; ++index) {
        words[index] = get_arg_val<uint32_t>(3);
    }
    (void)words[size / 4 - 1];
    noc_async_write(room, flag.get_noc_addr(0), size);
    noc_async_write_barrier();
}

// Copies pages from DRAM to DRAM when others have written them.
// Compile-time arguments: TensorAccessor of the source, then of the output.
// Runtime arguments: 0 source, 1 output, 2 L1 address of a page, 3 semaphore, 4 its least value (0: it does not wait), 5 clocks
// before, 6 pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const uint32_t least = get_arg_val<uint32_t>(4);
    const uint32_t pages = get_arg_val<uint32_t>(6);

    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0), 64);
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1), 64);
    riscv_wait(get_arg_val<uint32_t>(5));
    if (least != 0) {
        noc_semaphore_wait_min(
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(3))), least);
    }
    for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read(source.get_noc_addr(page), l1_address, 64);
        noc_async_read_barrier();
        noc_async_write(l1_address, output.get_noc_addr(page), 64);
        noc_async_write_barrier();
    }
}

// Prints pages of a buffer in L1 in each form, and writes the first page.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 address of two pages of 16 bytes.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/debug/dprint_pages.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t pages = get_arg_val<uint32_t>(1);
#if defined(DEBUG_PRINT_ENABLED)
    // TT-Metalium has these functions only where printing is on.
    print_cb_details(3);
    tt::data_movement::common::print_u32_pages(pages, 4, 2);
    tt::data_movement::common::print_u16_pages(pages, 8, 1, 1);
    tt::data_movement::common::print_u8_pages(pages, 16, 1);
    tt::data_movement::common::print_bf16_pages(pages, 8, 1);
    tt::data_movement::common::print_f32_pages(pages, 4, 1);
#endif
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(pages, output.get_noc_addr(0), 16);
    noc_async_write_barrier();
}

// Writes what Blackhole's instructions beyond RV32IM make of a runtime argument and of each word of a page.
// Compile-time arguments: TensorAccessors of the operands (one page) and of the output (a page for all rows).
// Runtime arguments: 0 operands, 1 output, 2 L1 scratch for the operands, 3 L1 scratch for the rows, 4 how many
// operands, 5 the first operand of every instruction.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
#include "extension_rows.h"

void kernel_main() {
    constexpr auto operand_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<operand_args.next_compile_time_args_offset()>();
    const uint32_t operands = get_arg_val<uint32_t>(2);
    const uint32_t rows = get_arg_val<uint32_t>(3);
    const uint32_t count = get_arg_val<uint32_t>(4);

    const auto source = TensorAccessor(operand_args, get_arg_val<uint32_t>(0));
    noc_async_read(source.get_noc_addr(0), operands, 4 * count);
    noc_async_read_barrier();
    volatile tt_l1_ptr uint32_t* end =
        write_extension_rows(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(rows),
                             reinterpret_cast<volatile tt_l1_ptr uint32_t*>(operands), count, get_arg_val<uint32_t>(5));
    // The words must be in L1 before a request reads them.
    const uint32_t last = end[-1];
    while (end[-1] != last) {
    }
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1));
    noc_async_write(rows, output.get_noc_addr(0), 4 * count * kExtensionRows);
    noc_async_write_barrier();
}

// Writes the compile-time arguments that it knows by name to page 0 of a buffer, one word each.
// Compile-time arguments: TensorAccessor of the output.
// Named compile-time arguments: `largest`, `cb::pages`, `a name with blanks`.
// Runtime arguments: 0 output, 1 L1 scratch address.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

constexpr uint32_t largest = get_named_compile_time_arg_val("largest");
constexpr uint32_t pages = get_named_compile_time_arg_val("cb::pages");
static_assert(pages > 0, "a named argument is a constant");

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    constexpr uint32_t values[] = {largest, pages, get_named_compile_time_arg_val("a name with blanks")};

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    uint32_t count = 0;
    for (uint32_t value : values) {
        words[count++] = value;
    }
    words[count++] = sizeof(values);
    // The words must be in L1 before a request reads them.
    while (words[count - 1] != sizeof(values)) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), 4 * count);
    noc_async_write_barrier();
}

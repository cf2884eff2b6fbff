// Writes what it was given to page `core` of a buffer, one word each: the runtime arguments from
// index 4 on, the common arguments, two compile-time arguments and two definitions.
// Compile-time arguments: TensorAccessor of the output, then two numbers to echo.
// Definitions: ECHO_NUMBER, a number; ECHO_FLAG, may be absent, which is echoed as 0.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 page, 3 how many to echo from index 4 on.
// Definition ECHO_COMMON: there are common arguments; 0 says how many to echo from index 1 on.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

#ifdef ECHO_FLAG
constexpr uint32_t flag = 1;
#else
constexpr uint32_t flag = 0;
#endif

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    constexpr uint32_t own = args.next_compile_time_args_offset();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    const uint32_t page = get_arg_val<uint32_t>(2);
    const uint32_t unique = get_arg_val<uint32_t>(3);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    uint32_t count = 0;
    for (uint32_t index = 0; index < unique; ++index) {
        words[count++] = get_arg_val<uint32_t>(4 + index);
    }
#ifdef ECHO_COMMON
    const uint32_t common = get_common_arg_val<uint32_t>(0);
    for (uint32_t index = 0; index < common; ++index) {
        words[count++] = get_common_arg_val<uint32_t>(1 + index);
    }
#endif
    words[count++] = get_compile_time_arg_val(own);
    words[count++] = get_compile_time_arg_val(own + 1);
    words[count++] = ECHO_NUMBER;
    words[count++] = flag;
    // The words must be in L1 before a request reads them.
    while (words[count - 1] != flag) {
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(page), 4 * count);
    noc_async_write_barrier();
}

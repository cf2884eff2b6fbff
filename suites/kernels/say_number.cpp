// Writes a number that stands in its code to its page. With PADDING, so many bytes of its code are jumped over.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 L1 scratch address, 2 page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t l1_address = get_arg_val<uint32_t>(1);

    uint32_t number = NUMBER;
    // Volatile, so that the number is made by instructions and by nothing else.
    asm volatile("" : "+r"(number));
#ifdef PADDING
    asm volatile("j 1f\n .skip " TEXT_OF(PADDING) "\n 1:");
#endif
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address), number);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(get_arg_val<uint32_t>(2)), 4);
    noc_async_write_barrier();
}

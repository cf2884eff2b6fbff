// Tells a stream of another tile how much room its receiver has, grants it more some times, and notes what it knows
// after each: all over the NoC, as a receiver grants it.
// Compile-time arguments: TensorAccessor of the output.
// Runtime arguments: 0 output, 1 and 2 the other tile's NoC coordinates, 3 L1 scratch address of two pages, 4 page
// size in bytes, 5 to 7 the addresses of the stream's registers for the size of the receiver's buffer, for granting
// room and for the room that it knows of, 8 room at first, 9 room granted each time, 10 times.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    const uint32_t l1_address = get_arg_val<uint32_t>(3);
    const uint32_t page_size = get_arg_val<uint32_t>(4);
    const uint64_t size = get_noc_addr(x, y, get_arg_val<uint32_t>(5));
    const uint64_t grant = get_noc_addr(x, y, get_arg_val<uint32_t>(6));
    const uint32_t room = get_arg_val<uint32_t>(7);
    const uint32_t more = get_arg_val<uint32_t>(9);
    const uint32_t times = get_arg_val<uint32_t>(10);

    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    // A transfer leaves a word where it lies within 16 bytes.
    const uint32_t landing = l1_address + page_size + (room & 15);
    noc_inline_dw_write<InlineWriteDst::REG>(size, get_arg_val<uint32_t>(8));
    noc_async_write_barrier();
    for (uint32_t time = 0; time <= times; ++time) {
        if (time > 0) {
            // The low six bits name a destination, the others say how much.
            noc_inline_dw_write<InlineWriteDst::REG>(grant, more << 6);
            noc_async_write_barrier();
        }
        noc_async_read(get_noc_addr(x, y, room), landing, 4);
        noc_async_read_barrier();
        noc_semaphore_set(words + time, *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(landing));
    }
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(l1_address, output.get_noc_addr(0), page_size);
    noc_async_write_barrier();
}

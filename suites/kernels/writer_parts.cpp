// Writes parts of the pages of two circular buffers to two interleaved buffers, whose pages are as large as the parts.
// Compile-time arguments: 0 and 1 circular buffers, 2 parts of a page, then the TensorAccessors of both.
// Runtime arguments: 0 first buffer, 1 second buffer, 2 pages of each, 3 and 4 bytes of a part and from one part to the next, of the
// first, 5 and 6 the same of the second.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

constexpr uint32_t kParts = get_compile_time_arg_val(2);

template <typename ACCESSOR>
void write_parts(uint32_t cb, uint32_t page, const ACCESSOR& destination, uint32_t size, uint32_t distance) {
    cb_wait_front(cb, 1);
    for (uint32_t part = 0; part < kParts; ++part) {
        noc_async_write(get_read_ptr(cb) + part * distance, destination.get_noc_addr(page * kParts + part), size);
    }
    noc_async_write_barrier();
    cb_pop_front(cb, 1);
}

void kernel_main() {
    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr auto args_a = TensorAccessorArgs<3>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();
    const uint32_t pages = get_arg_val<uint32_t>(2);
    const uint32_t size_a = get_arg_val<uint32_t>(3), distance_a = get_arg_val<uint32_t>(4);
    const uint32_t size_b = get_arg_val<uint32_t>(5), distance_b = get_arg_val<uint32_t>(6);

    const auto destination_a = TensorAccessor(args_a, get_arg_val<uint32_t>(0), size_a);
    const auto destination_b = TensorAccessor(args_b, get_arg_val<uint32_t>(1), size_b);
    for (uint32_t page = 0; page < pages; ++page) {
        write_parts(cb_a, page, destination_a, size_a, distance_a);
        write_parts(cb_b, page, destination_b, size_b, distance_b);
    }
}

// Reads pages of three buffers, each all at once, then pages of a fourth one, one by one.
// Compile-time arguments: 0 to 2 circular buffers of the three, 3 of the fourth, then the TensorAccessors of all.
// Runtime arguments: 0 to 3 buffers, 4 to 7 the first page of each, 8 to 11 their pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

template <typename Arguments>
void bring(const Arguments& arguments, uint32_t cb, uint32_t index, uint32_t block) {
    const uint32_t first = get_arg_val<uint32_t>(4 + index);
    const uint32_t pages = get_arg_val<uint32_t>(8 + index);
    const uint32_t page_size = get_local_cb_interface(cb).fifo_page_size;
    const auto source = TensorAccessor(arguments, get_arg_val<uint32_t>(index), page_size);
    for (uint32_t done = 0; done < pages; done += block) {
        cb_reserve_back(cb, block);
        for (uint32_t page = 0; page < block; ++page) {
            noc_async_read(source.get_noc_addr(first + done + page), get_write_ptr(cb) + page * page_size, page_size);
        }
        noc_async_read_barrier();
        cb_push_back(cb, block);
    }
}

void kernel_main() {
    constexpr auto args_0 = TensorAccessorArgs<4>();
    constexpr auto args_1 = TensorAccessorArgs<args_0.next_compile_time_args_offset()>();
    constexpr auto args_2 = TensorAccessorArgs<args_1.next_compile_time_args_offset()>();
    constexpr auto args_3 = TensorAccessorArgs<args_2.next_compile_time_args_offset()>();
    bring(args_0, get_compile_time_arg_val(0), 0, get_arg_val<uint32_t>(8));
    bring(args_1, get_compile_time_arg_val(1), 1, get_arg_val<uint32_t>(9));
    bring(args_2, get_compile_time_arg_val(2), 2, get_arg_val<uint32_t>(10));
    bring(args_3, get_compile_time_arg_val(3), 3, 1);
}

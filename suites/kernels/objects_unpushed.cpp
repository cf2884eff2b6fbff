// Reads pages of a tensor into a circular buffer, one by one, and writes each from the write pointer to another tensor before
// it is pushed. Pages are popped some pushes later, so that the pointers differ.
// Compile-time arguments: the accessors of both tensors.
// Runtime arguments: the circular buffer's index, the tensors' addresses, the number of pages.
// Compile-time arguments for a check: 2,64,2,64
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(1));
    const auto target =
        TensorAccessor(TensorAccessorArgs<source_args.next_compile_time_args_offset()>(), get_arg_val<uint32_t>(2));
    const uint32_t pages = get_arg_val<uint32_t>(3);
    const uint32_t size = source.get_aligned_page_size();

    Noc noc;
    CircularBuffer ring(get_arg_val<uint32_t>(0));
    const auto pointer = use<CircularBuffer::AddrSelector::WRITE_PTR>(ring);
    for (uint32_t page = 0; page < pages; ++page) {
        ring.reserve_back(1);
        noc.async_read(source, pointer, size, {.page_id = page}, {.offset_bytes = 0});
        noc.async_read_barrier();
        noc.async_write(pointer, target, size, {.offset_bytes = 0}, {.page_id = pages - 1 - page});
        noc.async_writes_flushed();
        ring.push_back(1);
        if (page >= 2) {
            ring.wait_front(1);
            ring.pop_front(1);
        }
    }
    noc.async_write_barrier();
}

// The first half of a copy with objects: reads pages of a tensor into a dataflow buffer.
// Compile-time arguments: the buffer's index, entries at a time, then the tensor's accessor.
// Runtime arguments: the tensor's address, the first page, the number of pages.
// Compile-time arguments for a check: 0,2,2,64,0,64,2,64,1,2,3,4
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr uint32_t index = get_compile_time_arg_val(0);
    constexpr uint32_t at_a_time = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);

    Noc noc;
    DataflowBuffer stage(index);
    const uint32_t size = stage.get_entry_size();
    for (uint32_t done = 0; done < pages; done += at_a_time) {
        stage.reserve_back(at_a_time);
        for (uint32_t entry = 0; entry < at_a_time; ++entry) {
            noc.async_read(source, stage, size, {.page_id = first + done + entry}, {.offset_bytes = entry * size});
        }
#ifndef NO_BARRIER
        noc.async_read_barrier();
#endif
        stage.push_back(at_a_time);
    }
}

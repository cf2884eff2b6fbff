// Reads a page into a circular buffer, or uses the buffer wrongly.
// Compile-time arguments: the mistake: 0 none, 1 an entry of another size, 2 more entries than the buffer has, 3 an index that
// the host has not configured, 4 an address beyond L1, 5 no barrier; the accessor of the source, the accessor of the result.
// Runtime arguments: the source's address, the result's address.
// Compile-time arguments for a check: 0,2,64,2,64
#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr uint32_t mistake = get_compile_time_arg_val(0);
    constexpr auto source_args = TensorAccessorArgs<1>();
    constexpr auto result_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0));
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(1));
    const uint32_t size = source.get_aligned_page_size();

    Noc noc;
    CircularBuffer stage(mistake == 3 ? 6 : 5);
    // The second of two entries, so that a longer one passes the end.
    stage.reserve_back(1);
    stage.push_back(1);
    stage.wait_front(1);
    stage.pop_front(1);
    stage.reserve_back(mistake == 2 ? 3 : 1);
    noc.async_read(source, stage, mistake == 1 ? 2 * size : size, {.page_id = 0}, {.offset_bytes = 0});
    if constexpr (mistake != 5) {
        noc.async_read_barrier();
    }
    CoreLocalMem<volatile uint32_t> words(mistake == 4 ? 0x00F00000 : stage.get_write_ptr());
    const uint32_t first = words[0];
    stage.push_back(1);
    stage.wait_front(1);
    if (first != 0) {
        noc.async_write(stage, result, size, {}, {.page_id = 0});
        noc.async_write_barrier();
    }
    stage.pop_front(1);
}

// What buffers as objects say of the tiles of the circular buffers 5 and 6, each as a word of the result.
// Compile-time arguments: TensorAccessor of the result.
// Runtime arguments: 0 result, 1 an L1 address with room for 64 bytes.
#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    const auto result = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    const CoreLocalMem<volatile uint32_t> words(get_arg_val<uint32_t>(1));
    uint32_t count = 0;
    const auto put = [&](uint32_t word) { words[count++] = word; };
    for (const uint16_t index : {uint16_t{5}, uint16_t{6}}) {
        DataflowBuffer buffer(index);
        put(buffer.get_entry_size());
        put(buffer.get_tile_size());
        put(buffer.get_tile_r_dim());
        put(buffer.get_tile_c_dim());
        put(buffer.get_tile_num_faces());
        put(static_cast<uint32_t>(buffer.get_dataformat()));
        put(CircularBuffer(index).get_tile_hw());
        put(buffer.get_tile_hw());
    }
    const uint32_t last = words[15];
    while (words[15] != last) {
    }
    Noc noc;
    noc.async_write(words, result, 64, {}, {.page_id = 0});
    noc.async_write_barrier();
}

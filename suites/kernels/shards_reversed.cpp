// Copies the shards of a tensor to those of another one in the opposite order, each as a whole.
// Compile-time arguments: the accessor of the source; that of the destination.
// Common runtime arguments: those of the accessors.
// Runtime arguments: 0 source, 1 destination, 2 L1 scratch address, 3 whether writes are posted, 4 the NoC.
// Compile-time arguments for a check: 1,64,1,2,4,2,0,1,64,1,2,4,2,0

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto from = TensorAccessorArgs<0>();
    constexpr auto to = TensorAccessorArgs<from.next_compile_time_args_offset(), from.next_common_runtime_args_offset()>();
    const auto source = TensorAccessor(from, get_arg_val<uint32_t>(0));
    const auto destination = TensorAccessor(to, get_arg_val<uint32_t>(1));
    const uint32_t scratch = get_arg_val<uint32_t>(2);
    const uint8_t noc = get_arg_val<uint32_t>(4);
    const bool posted = get_arg_val<uint32_t>(3) != 0;
    const uint32_t shards = source.dspec().num_shards();
    for (uint32_t shard = 0; shard < shards; ++shard) {
        noc_async_read_shard(shard, source, scratch, noc);
        noc_async_read_barrier(noc);
        if (posted) {
            using DSpec = typename decltype(destination)::DSpec;
            noc_async_write_shard<DSpec, true>(shards - 1 - shard, destination, scratch, noc);
            noc_async_posted_writes_flushed(noc);
            // Nobody acknowledges a posted write. A read follows it on its way, so what it returns has been written.
            noc_async_read_shard<DSpec>(shards - 1 - shard, destination, scratch, noc);
            noc_async_read_barrier(noc);
        } else {
            noc_async_write_shard(shards - 1 - shard, destination, scratch, noc);
            noc_async_write_barrier(noc);
        }
    }
}

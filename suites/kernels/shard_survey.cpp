// Reads whole shards through the accessor, says which of them and which pages lie on this core, and what the
// accessor knows of the tensor.
// Compile-time arguments: TensorAccessor of a sharded buffer, TensorAccessor of the destination.
// Compile-time arguments for a check: 65,48,2,4,5,5,3,3,2,64
// Common runtime arguments: those of the two accessors.
// Runtime arguments: 0 sharded buffer, 1 destination, 2 L1 scratch address, 3 page of the destination.
// The page gets: rank, banks, pages of the tensor, pages of a shard, the first word of each shard that the tensor
// fills; then, in a word of bits each, which shards and which of the first 32 pages lie here.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0, 0>();
    constexpr auto destination_args = TensorAccessorArgs<source_args.next_compile_time_args_offset(),
                                                         source_args.next_common_runtime_args_offset()>();
    const uint32_t l1_address = get_arg_val<uint32_t>(2);
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0));
    const auto destination = TensorAccessor(destination_args, get_arg_val<uint32_t>(1));

    volatile tt_l1_ptr uint32_t* report = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    const uint32_t rank = source.dspec().rank();
    report[0] = rank;
    report[1] = source.dspec().num_banks();
    const uint32_t pages = source.dspec().tensor_volume();
    report[2] = pages;
    report[3] = source.dspec().shard_volume();
    uint32_t shards = 1;
    for (uint32_t side = 0; side < rank; ++side) {
        const uint32_t length = source.dspec().shard_shape()[side];
        shards *= (source.dspec().tensor_shape()[side] + length - 1) / length;
    }
    uint32_t local_shards = 0;
    for (uint32_t shard = 0; shard < shards; ++shard) {
        // Sixteen bytes of the shard land behind the report, where they are congruent with their source.
        const uint32_t landing = l1_address + 1024;
        noc_async_read(source.get_shard_noc_addr(shard), landing, 16);
        noc_async_read_barrier();
        invalidate_l1_cache();
        report[4 + shard] = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(landing);
        local_shards |= (source.is_local_shard(shard) ? 1u : 0u) << shard;
    }
    uint32_t local_pages = 0;
    for (uint32_t page = 0; page < pages && page < 32; ++page) {
        local_pages |= (source.is_local_page(page) ? 1u : 0u) << page;
    }
    report[4 + shards] = local_shards;
    report[5 + shards] = local_pages;
    const uint32_t words = 6 + shards;
    // The words must be in L1 before a request reads them.
    while (report[words - 1] != local_pages) {
    }
    noc_async_write(l1_address, destination.get_noc_addr(get_arg_val<uint32_t>(3)), words * 4);
    noc_async_write_barrier();
}

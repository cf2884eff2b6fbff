// Brings the second half of a page from every kind of source to that of a page of the result, writes posted by a state, and zeroes a
// page that takes several packets. The last page of the result tells of counts and addresses.
// Compile-time arguments: the accessors of the source, of a sharded tensor, of the result, and of the page to zero.
// Common runtime arguments: those of the sharded tensor's accessor.
// Runtime arguments: 0 source, 1 sharded tensor, 2 result, 3 page to zero, 4 an L1 address with room for 128 bytes, 5 one with as many
// zeros as a packet has, 6 one with room for 128 bytes on each core, 7 and 8 x and y of another core.
// Compile-time arguments for a check: 2,64,1,64,1,2,4,2,0,2,64,2,64

#include <cstdint>

#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
#include "debug/debug.h"

static_assert(std::is_same_v<std::nullptr_t, decltype(nullptr)>);

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0, 0>();
    constexpr auto sharded_args =
        TensorAccessorArgs<source_args.next_compile_time_args_offset(), source_args.next_common_runtime_args_offset()>();
    constexpr auto result_args =
        TensorAccessorArgs<sharded_args.next_compile_time_args_offset(), sharded_args.next_common_runtime_args_offset()>();
    constexpr auto wide_args =
        TensorAccessorArgs<result_args.next_compile_time_args_offset(), result_args.next_common_runtime_args_offset()>();
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0));
    const auto sharded = TensorAccessor(sharded_args, get_arg_val<uint32_t>(1));
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(2));
    const auto wide = TensorAccessor(wide_args, get_arg_val<uint32_t>(3));
    const CoreLocalMem<volatile uint32_t> here(get_arg_val<uint32_t>(4));
    const CoreLocalMem<uint32_t> zeros(get_arg_val<uint32_t>(5));
    const uint32_t shared = get_arg_val<uint32_t>(6);
    const uint32_t x = get_arg_val<uint32_t>(7);
    const uint32_t y = get_arg_val<uint32_t>(8);
    constexpr uint32_t packet = NOC_MAX_BURST_SIZE;
    Noc noc;
    const auto hand_on = [&](uint32_t page) {
        noc.async_read_barrier();
        noc.async_write(here, result, 32, {.offset_bytes = 32}, {.page_id = page, .offset_bytes = 32});
        noc.async_write_barrier();
    };

    for (const auto page : source.pages(5, 6)) {
        noc.async_read(page, here, 32, {.offset_bytes = 32}, {.offset_bytes = 32});
    }
    hand_on(0);
    noc.async_read(PageView(source), here, 32, {.page_id = 2, .offset_bytes = 32}, {.offset_bytes = 32});
    hand_on(1);
    const AbstractTensorAccessorWrapper any(source);
    noc.async_read(any, here, 32, {.page_id = 3, .offset_bytes = 32}, {.offset_bytes = 32});
    hand_on(2);
    noc.async_read(ShardView(sharded), here, 32, {.shard_id = 1, .offset_bytes = 96}, {.offset_bytes = 32});
    hand_on(3);

    const UnicastEndpoint tile;
    noc.async_read(source, here, 64, {.page_id = 7}, {});
    noc.async_read_barrier();
    const uint32_t before = noc_posted_writes_num_issued[noc_index];
    noc.set_async_write_state<NocOptions::POSTED, packet>(tile, 64, {.noc_x = x, .noc_y = y, .addr = shared});
    noc.async_write_with_state<NocOptions::POSTED, packet>(here, tile, 64, {}, {.noc_x = x, .noc_y = y, .addr = shared});
    noc.async_writes_flushed<NocOptions::POSTED>();
    const uint32_t first = noc_posted_writes_num_issued[noc_index] - before;
    noc.set_async_write_state<NocOptions::POSTED>(tile, 64, {.noc_x = x, .noc_y = y, .addr = shared});
    noc.async_write_with_state<NocOptions::POSTED>(here, tile, 64, {}, {.noc_x = x, .noc_y = y, .addr = shared + 64});
    noc.async_writes_flushed<NocOptions::POSTED>();
    const uint32_t both = noc_posted_writes_num_issued[noc_index] - before;
    // A read follows a write on its way, so what it returns has been written.
    noc.async_read(tile, here, 128, {.noc_x = x, .noc_y = y, .addr = shared}, {});
    noc.async_read_barrier();
    noc.async_write(here, result, 64, {}, {.page_id = 4});
    noc.async_write(here, result, 64, {.offset_bytes = 64}, {.page_id = 5});
    DataflowBuffer(0).write_barrier(noc);

    noc.async_write_zeros(wide, wide.get_aligned_page_size(), {.page_id = 0}, zeros);
    noc.write_zeros_dram_barrier();

    const uint32_t facts[] = {
        first,
        both,
        tile.get_noc_unicast_addr(x, y, shared, noc_index) == get_noc_addr(x, y, shared),
        MulticastEndpoint().get_noc_multicast_addr(x, y, x + 1, y + 1, shared, noc_index) ==
            get_noc_multicast_addr(x, y, x + 1, y + 1, shared),
    };
    for (uint32_t word = 0; word < 16; ++word) {
        here[word] = word < 4 ? facts[word] : 60;
    }
    while (here[15] != 60) {
    }
    noc.async_write(here, result, 64, {}, {.page_id = 6});
    noc.async_write_barrier();
}

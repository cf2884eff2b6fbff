// Copies pages by accessors of several tensors: by a tuple, by a number, by a bound name, by pages, by shards and by iteration.
// Compile-time arguments: the accessors of a sharded source, of an interleaved source and of the result.
// Common runtime arguments: those of the sharded source, the address of the interleaved one.
// Runtime arguments: the addresses of the three tensors, an L1 scratch address.
// The result's pages 0 to 3 are pages 0 and 1 of either source in turn, 4 the sharded source's last page, 5 and 6 the
// interleaved one's first pages, 7 its page 1.
// Compile-time arguments for a check: 65,64,1,2,4,2,2,64,2,64
#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr auto args = make_tensor_accessor_args_tuple<3, 0>();
    const auto accessors = make_tensor_accessor_tuple(args, 0);
    const auto by_number = make_abstract_tensor_accessor_wrappers(accessors);
    const auto& sharded = std::get<0>(accessors);
    const auto& interleaved = std::get<1>(accessors);
    const auto& result = std::get<2>(accessors);
    constexpr uint32_t second = TensorAccessorArgs<0>::next_compile_time_args_offset();
    constexpr tensor_accessor::TensorBindingToken<second, 4> token{binding_details::LLKMetadata{}};
    const auto bound = make_tensor_accessors(std::make_tuple(token));
    const CoreLocalMem<uint32_t> line(get_arg_val<uint32_t>(3));
    const uint32_t size = result.get_aligned_page_size();

    Noc noc;
    const auto put = [&](uint32_t page) {
        noc.async_read_barrier();
        noc.async_write(line, PageView(result), size, {}, {.page_id = page});
        noc.async_write_barrier();
    };
    for (uint32_t page = 0; page < 4; ++page) {
        noc.async_read(by_number[page % 2], line, size, {.page_id = page / 2}, {});
        put(page);
    }
    noc.async_read(ShardView(sharded), line, size, {.shard_id = 1, .offset_bytes = size}, {});
    put(4);
    for (const auto& page : interleaved.pages(0, 2)) {
        noc.async_read(page, line, size, {}, {});
        put(5 + page.page_id());
    }
    noc.async_read(std::get<0>(bound), line, size, {.page_id = 1}, {});
    put(7);
}

// The first half of a copy in which every number has a name that the host binds: reads pages of two tensors in turn.
// args::size, bytes of a page; args::first, the first page of both; args::turns, pages of each; sem::start, which the
// second half raises; dfb::out; the group tensor::sources. The first vararg is the last page of the second tensor, the
// first common vararg is added to the first word of each page.
#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/tensor/noc_traits.h"

// Reads a tensor's page if the host has bound the tensor.
template <typename Token>
void read(Noc& noc, DataflowBuffer& out, const Token* token, uint32_t page) {
    if (token == nullptr) {
        return;
    }
    const TensorAccessor source(*token);
    const uint32_t size = get_arg(args::size);
    out.reserve_back(1);
    noc.async_read(source, out, size, {.page_id = page}, {.offset_bytes = 0});
    noc.async_read_barrier();
    CoreLocalMem<volatile uint32_t> words(out.get_write_ptr());
    words[0] = words[0] + get_common_vararg(0);
    out.push_back(1);
}

void kernel_main() {
    Noc noc;
    DataflowBuffer out(dfb::out);
    Semaphore start(sem::start);
    start.wait(3);
    const auto& [even, odd] = tensor::sources;
    const uint32_t first = get_arg(args::first);
    for (uint32_t turn = 0; turn < get_arg(args::turns); ++turn) {
        const bool is_last = turn + 1 == get_arg(args::turns);
        read(noc, out, &even, first + turn);
        read(noc, out, &odd, is_last ? get_vararg(0) : first + turn);
    }
    static_assert(dfb::get_token_if_present<"out">() == &dfb::out);
    static_assert(scratch::get_token_if_present<"pad">() == nullptr);
    static_assert(get_num_compile_time_varargs() == 1 && get_compile_time_vararg<0>() == get_compile_time_vararg(0));
}

// Uses objects well, or against one of their rules, which stops the kernel by an assertion.
// Compile-time arguments: the rule; 1 to break it; the accessor of a tensor whose page 0 lies on this core and whose page 1 on
// another one; the accessor of the result, which has two pages of 64 bytes.
// Common runtime arguments: the address of a scratchpad of 64 bytes; those of the accessors.
// Runtime arguments: the tensor's address, the result's address, two semaphores, this core's x and y.
// The result's page 0 gets the rule's number in each word.
// Compile-time arguments for a check: 0,0,65,64,1,2,2,1,2,64
#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/scratchpad.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr uint32_t rule = get_compile_time_arg_val(0);
    constexpr bool breaks = get_compile_time_arg_val(1) != 0;
    constexpr auto tensor_args = TensorAccessorArgs<2, 1>();
    constexpr auto result_args = TensorAccessorArgs<tensor_args.next_compile_time_args_offset(),
                                                    tensor_args.next_common_runtime_args_offset()>();
    const auto tensor = TensorAccessor(tensor_args, get_arg_val<uint32_t>(0));
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(1));
    const uint32_t x = get_arg_val<uint32_t>(4);
    const uint32_t y = get_arg_val<uint32_t>(5);

    Noc noc;
    DataflowBuffer stage(5);
    Scratchpad<volatile uint32_t> pad(ScratchpadBindingToken(0, 64));
    if constexpr (rule == 0) {
        // Entries are popped behind a lock.
        stage.reserve_back(1);
        stage.push_back(1);
        stage.wait_front(1);
        {
            const auto lock = stage.scoped_read_lock();
            if (breaks) {
                stage.pop_front(1);
            }
        }
        if (!breaks) {
            stage.pop_front(1);
        }
    } else if constexpr (rule == 1) {
        // Entries are pushed behind a lock.
        stage.reserve_back(1);
        {
            const auto lock = stage.scoped_write_lock();
            if (breaks) {
                stage.push_back(1);
            }
        }
        if (!breaks) {
            stage.push_back(1);
        }
    } else if constexpr (rule == 2) {
        // A lock takes no more entries than the buffer has.
        const auto lock = stage.scoped_write_lock(breaks ? 3 : 2);
    } else if constexpr (rule == 3) {
        // Semaphores of these chips have one scope.
        Semaphore<> semaphore(SemaphoreBindingToken{get_arg_val<uint32_t>(2),
                                                    breaks ? SemScope::EXTERNAL : SemScope::LOCAL_NONATOMIC});
        semaphore.up(3);
        semaphore.down(2);
        semaphore.wait(1);
    } else if constexpr (rule == 4) {
        // A semaphore is relayed to another one.
        Semaphore<> from(get_arg_val<uint32_t>(2));
        Semaphore<> to(get_arg_val<uint32_t>(breaks ? 2 : 3));
        from.relay_unicast(noc, to, x, y);
        noc.async_write_barrier();
    } else if constexpr (rule == 5) {
        // Zeros have the alignment of transfers.
        noc.async_write_zeros(CoreLocalMem<uint32_t>(pad.get_base_address()), 16, {.offset_bytes = breaks ? 4u : 16u});
        noc.write_zeros_l1_barrier();
    } else if constexpr (rule == 6) {
        // Zeros lie in one page.
        noc.async_write_zeros(pad, 64);
        noc.write_zeros_l1_barrier();
        noc.async_write_zeros(result, 64, {.page_id = 1, .offset_bytes = breaks ? 16u : 0u}, pad);
        noc.write_zeros_dram_barrier();
    } else if constexpr (rule == 7) {
        // The source of a write lies on this core.
        noc.async_write(tensor, result, 64, {.page_id = breaks ? 1u : 0u}, {.page_id = 1});
        noc.async_write_barrier();
    } else if constexpr (rule == 8) {
        pad[breaks ? 16 : 15] = 1;
    } else if constexpr (rule == 9) {
        // A transfer begins in the scratchpad.
        noc.async_read(tensor, pad, 16, {.page_id = 0, .offset_bytes = 16}, {.offset_bytes = breaks ? 64u : 48u});
        noc.async_read_barrier();
    } else if constexpr (rule == 10) {
        // A tensor of two pages has no page 2.
        noc.async_read(tensor, pad, 64, {.page_id = breaks ? 2u : 1u}, {});
        noc.async_read_barrier();
    } else if constexpr (rule == 11) {
        // Zeros stay in the scratchpad.
        noc.async_write_zeros(pad, breaks ? 64 : 48, {.offset_bytes = 16});
        noc.write_zeros_l1_barrier();
    }
    for (uint32_t word = 0; word < pad.size(); ++word) {
        pad[word] = 100 + rule;
    }
    while (pad[15] != 100 + rule) {
    }
    noc.async_write(pad, result, 64, {}, {.page_id = 0});
    noc.async_write_barrier();
}

// Makes requests of one kind, waits for them, and does what only the wait allows.
// Compile-time arguments: the accessors of the source and of the result.
// Runtime arguments: 0 the kind, 1 source, 2 result, 3 an L1 address with room for 256 bytes, 4 an L1 address with room for 256
// bytes on each core, 5 and 6 x and y of another core.
// With IDENTIFIERS, requests may have transaction identifiers.
// Compile-time arguments for a check: 2,64,2,64
#include <cstdint>

#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto result_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t kind = get_arg_val<uint32_t>(0);
    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(1));
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(2));
    const CoreLocalMem<volatile uint32_t> here(get_arg_val<uint32_t>(3));
    const uint32_t shared = get_arg_val<uint32_t>(4);
    const uint32_t x = get_arg_val<uint32_t>(5);
    const uint32_t y = get_arg_val<uint32_t>(6);
    Noc noc;
    const Noc other(1 - noc_index);
    const UnicastEndpoint far;

    // The first 64 bytes are what the result gets; the next 64 are what is sent.
    noc.async_read(source, here, 128, {.page_id = 1}, {});
    noc.async_read_barrier();
    // Gives the words that are sent other values, which nothing may send any more.
    const auto overwrite = [&] {
        for (uint32_t word = 16; word < 32; ++word) {
            here[word] = 7;
        }
        while (here[31] != 7) {
        }
    };
    const auto read_back = [&](const Noc& by) {
        by.async_read(far, here, 64, {.noc_x = x, .noc_y = y, .addr = shared}, {});
        by.async_read_barrier();
    };
    switch (kind) {
        case 0:
            noc.async_read(source, here, 64, {.page_id = 2}, {});
            noc.async_read_barrier();
            break;
        case 1:
            noc.async_write(here, far, 64, {.offset_bytes = 64}, {.noc_x = x, .noc_y = y, .addr = shared});
            noc.async_writes_flushed();
            overwrite();
            noc.async_write_barrier();
            read_back(noc);
            break;
        case 2:
            noc.async_write(here, far, 64, {.offset_bytes = 64}, {.noc_x = x, .noc_y = y, .addr = shared});
            noc.async_write_barrier();
            read_back(other);
            break;
        case 3:
            // A read on the same way finds what a posted write brought.
            noc.async_write<NocOptions::POSTED>(here, far, 64, {.offset_bytes = 64},
                                                {.noc_x = x, .noc_y = y, .addr = shared});
            noc.async_writes_flushed<NocOptions::POSTED>();
            overwrite();
            read_back(noc);
            break;
        case 4:
            // Nothing tells of the increment but the wait.
            noc_semaphore_inc(get_noc_addr(x, y, shared + 128), 9);
            noc.async_atomic_barrier();
            break;
        case 5:
            noc.async_read(source, here, 32, {.page_id = 2}, {});
            noc.async_write(here, far, 64, {.offset_bytes = 64}, {.noc_x = x, .noc_y = y, .addr = shared});
            noc_semaphore_inc(get_noc_addr(x, y, shared + 128), 9);
            noc.async_full_barrier();
            overwrite();
            other.async_read(far, here, 32, {.noc_x = x, .noc_y = y, .addr = shared}, {.offset_bytes = 32});
            other.async_read_barrier();
            break;
        case 6:
            // Zeros on the other NoC, which the wait on that NoC covers.
            other.async_write_zeros(here, 64, {});
            other.write_zeros_l1_barrier();
            other.async_write_zeros(result, 64, {.page_id = 1}, here);
            other.write_zeros_dram_barrier();
            noc.async_read(source, here, 64, {.page_id = 3}, {});
            noc.async_read_barrier();
            break;
        case 7: {
            const uint32_t before = noc_nonposted_writes_num_issued[1 - noc_index];
            other.inline_dw_write<NocOptions::INLINE_L1>(far, 77, {.noc_x = x, .noc_y = y, .addr = shared});
            other.async_write_barrier();
            read_back(noc);
            here[0] = here[0] + noc_nonposted_writes_num_issued[1 - noc_index] - before;
            break;
        }
#ifdef IDENTIFIERS
        case 8:
            noc.async_read<NocOptions::TXN_ID>(source, here, 32, {.page_id = 2}, {}, {.trid = 6});
            noc.async_read<NocOptions::TXN_ID>(source, here, 32, {.page_id = 3}, {.offset_bytes = 64}, {.trid = 9});
            noc.async_read_barrier<NocOptions::TXN_ID>({.trid = 6});
            here[1] = here[0] + 3;
            noc.async_read_barrier<NocOptions::TXN_ID>({.trid = 9});
            here[2] = here[16] + 4;
            break;
        case 9:
            noc.async_write<NocOptions::TXN_ID>(here, far, 64, {.offset_bytes = 64},
                                                {.noc_x = x, .noc_y = y, .addr = shared}, {.trid = 6});
            noc.async_writes_flushed<NocOptions::TXN_ID>({.trid = 6});
            overwrite();
            noc.async_write_barrier<NocOptions::TXN_ID>({.trid = 6});
            read_back(other);
            break;
        case 10:
            noc.set_async_read_state<NocOptions::TXN_ID, NOC_MAX_BURST_SIZE>(
                far, 32, {.noc_x = x, .noc_y = y, .addr = shared}, {.trid = 11});
            noc.async_read_with_state<NocOptions::TXN_ID, NOC_MAX_BURST_SIZE>(
                far, here, 32, {.noc_x = x, .noc_y = y, .addr = shared + 32}, {}, {.trid = 11});
            noc.async_read_barrier<NocOptions::TXN_ID>({.trid = 11});
            here[1] = here[0] + 3;
            break;
#endif
    }
#ifdef IDENTIFIERS
    noc_async_read_set_trid(0);
    noc_async_write_set_trid(0);
#endif
    here[15] = kind + 100;
    while (here[15] != kind + 100) {
    }
    noc.async_write(here, result, 64, {}, {.page_id = 0});
    noc.async_write_barrier();
}

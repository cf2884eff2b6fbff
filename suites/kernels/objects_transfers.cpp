// Transfers between every kind of place, on both NoCs, each with a page of the source; the last page of the result tells of places
// and counts. With IDENTIFIERS defined some have transaction identifiers.
// Compile-time arguments: the accessors of the source and of the result.
// Runtime arguments: 0 source, 1 result, 2 an L1 address with room for 128 bytes, 3 an L1 address with room for 128 bytes on each
// core, 4 and 5 x and y of this core, 6 and 7 those of a neighbour to the right, 8 and 9 those of another core.
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
    const uint32_t source_base = get_arg_val<uint32_t>(0);
    const uint32_t result_base = get_arg_val<uint32_t>(1);
    const auto source = TensorAccessor(source_args, source_base);
    const auto result = TensorAccessor(result_args, result_base);
    const CoreLocalMem<volatile uint32_t> here(get_arg_val<uint32_t>(2));
    const uint32_t shared = get_arg_val<uint32_t>(3);
    const uint32_t own_x = get_arg_val<uint32_t>(4);
    const uint32_t own_y = get_arg_val<uint32_t>(5);
    const uint32_t next_x = get_arg_val<uint32_t>(6);
    const uint32_t next_y = get_arg_val<uint32_t>(7);
    const uint32_t far_x = get_arg_val<uint32_t>(8);
    const uint32_t far_y = get_arg_val<uint32_t>(9);
    constexpr uint32_t packet = NOC_MAX_BURST_SIZE;
    Noc noc;
    const auto fetch = [&](uint32_t page) {
        noc.async_read(source, here, 64, {.page_id = page}, {});
        noc.async_read_barrier();
    };

    // Banks by their numbers.
    const AllocatorBank<AllocatorBankType::DRAM> bank;
    noc.async_read(bank, here, 64, {.bank_id = 1, .addr = source_base}, {});
    noc.async_read_barrier();
    noc.async_write(here, bank, 64, {}, {.bank_id = 2, .addr = result_base});
    noc.async_write_barrier();
    // Whole addresses.
    const PrecomposedUnicastEndpoint whole;
    noc.async_read(whole, here, 64, {.noc_addr = source.get_noc_addr(3)}, {});
    noc.async_read_barrier();
    noc.async_write(here, whole, 64, {}, {.noc_addr = result.get_noc_addr(0)});
    noc.async_write_barrier();
    // A posted write, and a read that follows it on its way.
    fetch(4);
    const uint32_t posted_before = noc_posted_writes_num_issued[noc_index];
    noc.async_write<NocOptions::POSTED>(here, result, 64, {}, {.page_id = 1});
    noc.async_writes_flushed<NocOptions::POSTED>();
    const uint32_t posted = noc_posted_writes_num_issued[noc_index] - posted_before;
    noc.async_read(result, here, 64, {.page_id = 1}, {});
    noc.async_read_barrier();
    // Writes whose tile is fixed, of one packet and of any number.
    const UnicastEndpoint tile;
    fetch(5);
    noc.set_async_write_state<NocOptions::DEFAULT, packet>(tile, 64, {.noc_x = far_x, .noc_y = far_y, .addr = shared});
    noc.async_write_with_state<NocOptions::DEFAULT, packet>(here, tile, 64, {}, {.noc_x = far_x, .noc_y = far_y, .addr = shared});
    noc.async_write_barrier();
    noc.async_read(tile, here, 64, {.noc_x = far_x, .noc_y = far_y, .addr = shared}, {.offset_bytes = 64});
    noc.async_read_barrier();
    noc.async_write(here, result, 64, {.offset_bytes = 64}, {.page_id = 3});
    noc.async_write_barrier();
    fetch(6);
    noc.set_async_write_state(tile, 64, {.noc_x = far_x, .noc_y = far_y, .addr = shared});
    noc.async_write_with_state(here, tile, 64, {}, {.noc_x = far_x, .noc_y = far_y, .addr = shared + 64});
    noc.async_write_barrier();
    noc.async_read(tile, here, 64, {.noc_x = far_x, .noc_y = far_y, .addr = shared + 64}, {.offset_bytes = 64});
    noc.async_read_barrier();
    noc.async_write(here, result, 64, {.offset_bytes = 64}, {.page_id = 4});
    noc.async_write_barrier();
    // The other NoC.
    const Noc other(1 - noc_index);
    other.async_read(source, here, 64, {.page_id = 7}, {});
    other.async_read_barrier();
    other.async_write(here, result, 64, {}, {.page_id = 5});
    other.async_writes_flushed();
    other.async_write_barrier();
    // A multicast to this core and its neighbour, which begins at the greater coordinates on NoC 1.
    fetch(2);
    const bool is_first = noc_index == 0;
    const MulticastEndpoint tiles;
    noc.async_write_multicast<NocOptions::MCAST_INCL_SRC>(
        here, tiles, 64, 2, {},
        {.noc_x_start = is_first ? own_x : next_x,
         .noc_y_start = is_first ? own_y : next_y,
         .noc_x_end = is_first ? next_x : own_x,
         .noc_y_end = is_first ? next_y : own_y,
         .addr = shared});
    noc.async_write_barrier();
    noc.async_write(CoreLocalMem<uint32_t>(shared), result, 64, {}, {.page_id = 6});
    noc.async_read(tile, here, 64, {.noc_x = next_x, .noc_y = next_y, .addr = shared}, {.offset_bytes = 64});
    noc.async_read_barrier();
    noc.async_write(here, result, 64, {.offset_bytes = 64}, {.page_id = 7});
    noc.async_full_barrier();
    uint32_t flushed = 1;
#ifdef IDENTIFIERS
    noc.async_read<NocOptions::TXN_ID>(source, here, 64, {.page_id = 0}, {}, {.trid = 3});
    while (!noc.is_read_trid_flushed(3)) {
    }
    noc.async_read_barrier<NocOptions::TXN_ID>({.trid = 3});
    flushed = noc.is_read_trid_flushed(3);
    noc.async_write<NocOptions::TXN_ID>(here, result, 64, {}, {.page_id = 8}, {.trid = 5});
    noc.async_writes_flushed<NocOptions::TXN_ID>({.trid = 5});
    noc.async_write_barrier<NocOptions::TXN_ID>({.trid = 5});
    noc_async_read_set_trid(0);
    noc_async_write_set_trid(0);
#endif
    const uint32_t facts[] = {
        noc.get_noc_id() == noc_index,
        other.get_noc_id() != noc_index,
        noc.is_local_bank(own_x, own_y),
        noc.is_local_bank(own_y, own_x),
        noc.is_local_bank(far_x, own_y),
        noc.is_local_addr(get_noc_addr(shared)),
        noc.is_local_addr(get_noc_addr(far_x, far_y, shared)),
        posted,
        flushed,
    };
    for (uint32_t word = 0; word < 16; ++word) {
        here[word] = word < 9 ? facts[word] : 50;
    }
    while (here[15] != 50) {
    }
    noc.async_write(here, result, 64, {}, {.page_id = 9});
    noc.async_write_barrier();
}

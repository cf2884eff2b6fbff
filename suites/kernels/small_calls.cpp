// Calls of the data-movement API that say something of the kernel itself, each as a word of the result.
// Compile-time arguments: TensorAccessor of the result, then two numbers. With the definition IDENTIFIERS, a read has one.
// Runtime arguments: 0 result, 1 an L1 address with room for 64 bytes.
// Compile-time arguments for a check: 2,64,7,9

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto result = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint32_t l1_address = get_arg_val<uint32_t>(1);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t word = 0; word < 16; ++word) {
        words[word] = 0;
    }

    words[0] = kernel_compile_time_args.size();
    words[1] = kernel_compile_time_args.back() + 16 * kernel_compile_time_args[2];
    uint32_t sum = 0;
    for (const uint32_t argument : kernel_compile_time_args) {
        sum += argument;
    }
    words[2] = sum;
    const auto* clock = reinterpret_cast<volatile uint32_t*>(RISCV_DEBUG_REG_WALL_CLOCK_L);
    const uint32_t before = clock[0];
    clobber_all_memory();
    words[3] = clock[0] - before > 0;
    words[4] = noc_mode == DM_DEDICATED_NOC;
    // Counts that are wrong would keep the barriers from returning.
    noc_async_read_inc_num_issued(5);
    ncrisc_noc_counters_init();
    noc_async_read_barrier();
    noc_async_read_inc_num_issued(7);
    dynamic_noc_local_state_init();
    noc_async_full_barrier();
    words[7] = NUM_DRAM_BANKS;
    words[8] = NUM_L1_BANKS;
    words[9] = MEM_ZEROS_SIZE / 512;
    // The last words of the line, over words that have others.
    for (uint32_t word = 12; word < 16; ++word) {
        words[word] = 77;
    }
    while (words[15] != 77) {
    }
    noc_async_read(get_noc_addr(MEM_ZEROS_BASE + MEM_ZEROS_SIZE - 16), l1_address + 48, 16);
    noc_async_read_barrier();
    words[10] = words[12] + words[13] + words[14] + words[15] + 5;
#ifdef IDENTIFIERS
    const uint64_t page = result.get_noc_addr(0);
    noc_async_read_set_trid(3);
    noc_async_read(page, l1_address, 64);
    while (!ncrisc_noc_read_with_transaction_id_flushed(noc_index, 3)) {
    }
    noc_async_read_barrier();
    noc_async_read_set_trid(0);
    words[5] = words[15];
#endif
    words[6] = 66;
    while (words[6] != 66) {
    }
    noc_async_write(l1_address, result.get_noc_addr(0), 64);
    noc_async_write_barrier();
}

// Two cores hand pages over in DRAM, twice, by two flags there, one for each direction. ROLE 0 writes pages and raises the
// flag, and waits for the other flag before it writes the next round; ROLE 1 waits for the flag, copies the pages and raises
// the other flag. FORM 0 is right; 1: the flag goes before the pages; 2: the pages may be under way when the flag goes;
// 3: the writer does not wait; 4: the reader does not wait.
// Compile-time arguments: accessors of the data, the flag, the other flag and the result.
// Runtime arguments: 0 data, 1 its pages, 2 flag, 3 other flag, 4 result, 5 L1 address of room for three pages, 6 clocks before.
// Word i of page p becomes 1000 * round + 100 * p + i, with rounds from 1.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

constexpr uint32_t size = 64;

void fill(uint32_t room, uint32_t first) {
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(room);
    for (uint32_t index = 0; index < size / 4; ++index) {
        words[index] = first + index;
    }
    // The stores have landed when the last one is loaded back.
    (void)words[size / 4 - 1];
}

template <typename Accessor>
void await(const Accessor& flag, uint32_t room, uint32_t value) {
    do {
        noc_async_read(flag.get_noc_addr(0), room, size);
        noc_async_read_barrier();
    } while (*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(room) < value);
}

template <typename Accessor>
void raise(const Accessor& flag, uint32_t room, uint32_t value) {
    fill(room, value);
    noc_async_write(room, flag.get_noc_addr(0), size);
    noc_async_write_barrier();
}

void kernel_main() {
    constexpr auto data_args = TensorAccessorArgs<0>();
    constexpr auto flag_args = TensorAccessorArgs<data_args.next_compile_time_args_offset()>();
    constexpr auto other_args = TensorAccessorArgs<flag_args.next_compile_time_args_offset()>();
    constexpr auto result_args = TensorAccessorArgs<other_args.next_compile_time_args_offset()>();
    const auto data = TensorAccessor(data_args, get_arg_val<uint32_t>(0));
    const auto flag = TensorAccessor(flag_args, get_arg_val<uint32_t>(2));
    const auto other = TensorAccessor(other_args, get_arg_val<uint32_t>(3));
    const auto result = TensorAccessor(result_args, get_arg_val<uint32_t>(4));
    const uint32_t pages = get_arg_val<uint32_t>(1);
    const uint32_t room = get_arg_val<uint32_t>(5);
    const uint32_t polled = room + size;
    const uint32_t raised = room + 2 * size;

    riscv_wait(get_arg_val<uint32_t>(6));
    for (uint32_t round = 1; round <= 2; ++round) {
        if constexpr (ROLE == 0) {
            if (round > 1 && FORM != 3) {
                await(other, polled, round - 1);
            }
            if constexpr (FORM == 1) {
                raise(flag, raised, round);
            }
            for (uint32_t page = 0; page < pages; ++page) {
                noc_async_writes_flushed();
                fill(room, 1000 * round + 100 * page);
                noc_async_write(room, data.get_noc_addr(page), size);
            }
            if constexpr (FORM != 2) {
                noc_async_write_barrier();
            }
            if constexpr (FORM != 1) {
                raise(flag, raised, round);
            }
        } else {
            if constexpr (FORM != 4) {
                await(flag, polled, round);
            }
            for (uint32_t page = 0; page < pages; ++page) {
                noc_async_read(data.get_noc_addr(page), room, size);
                noc_async_read_barrier();
                noc_async_write(room, result.get_noc_addr((round - 1) * pages + page), size);
                noc_async_write_barrier();
            }
            raise(other, raised, round);
        }
    }
}

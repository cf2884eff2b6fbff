// Half of a copy of many pages through a small ring, at a pace. PRODUCES: reads the pages of a tensor into the ring; else
// writes them from the ring to a tensor, page k to page k of it. DATAFLOW_BUFFER: by a DataflowBuffer, its locks and its
// barrier, else by a CircularBuffer.
// Compile-time arguments: the accessor of the tensor.
// Runtime arguments: the ring's index, the tensor's address, the first page, the number of pages, pages at a time, clocks to
// wait before pages are given on or back.
// Compile-time arguments for a check: 2,64
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(1));
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t pages = get_arg_val<uint32_t>(3);
    const uint32_t at_a_time = get_arg_val<uint32_t>(4);
    const uint32_t clocks = get_arg_val<uint32_t>(5);
    const uint32_t size = tensor.get_aligned_page_size();

    Noc noc;
#ifdef DATAFLOW_BUFFER
    DataflowBuffer ring(get_arg_val<uint32_t>(0));
#else
    CircularBuffer ring(get_arg_val<uint32_t>(0));
#endif
    for (uint32_t done = 0; done < pages; done += at_a_time) {
#ifdef PRODUCES
        ring.reserve_back(at_a_time);
        for (uint32_t page = 0; page < at_a_time; ++page) {
            noc.async_read(tensor, ring, size, {.page_id = first + done + page}, {.offset_bytes = page * size});
        }
        noc.async_read_barrier();
        riscv_wait(clocks);
#ifdef DATAFLOW_BUFFER
        {
            // The first word of each page grows by one, through the lock.
            const auto lock = ring.scoped_write_lock(at_a_time);
            const auto words = lock.template get_ptr<volatile uint32_t>();
            for (uint32_t page = 0; page < at_a_time; ++page) {
                const uint32_t grown = words[page * size / 4] + 1;
                words[page * size / 4] = grown;
                while (words[page * size / 4] != grown) {
                }
            }
        }
#endif
        ring.push_back(at_a_time);
#else
        ring.wait_front(at_a_time);
        riscv_wait(clocks);
#ifdef DATAFLOW_BUFFER
        {
            // The second word of each page grows by the first one, through the lock.
            const auto lock = ring.scoped_read_lock(at_a_time);
            const auto words = lock.template get_ptr<uint32_t>();
            const CoreLocalMem<volatile uint32_t> changed(ring.get_read_ptr());
            for (uint32_t page = 0; page < at_a_time; ++page) {
                const uint32_t grown = changed[page * size / 4 + 1] + words[page * size / 4];
                changed[page * size / 4 + 1] = grown;
                while (changed[page * size / 4 + 1] != grown) {
                }
            }
        }
        for (uint32_t page = 0; page < at_a_time; ++page) {
            noc.async_write(ring, tensor, size, {.offset_bytes = page * size}, {.page_id = first + done + page});
        }
        ring.write_barrier(noc);
#else
        const auto pointer = use<CircularBuffer::AddrSelector::READ_PTR>(ring);
        for (uint32_t page = 0; page < at_a_time; ++page) {
            noc.async_write(pointer, tensor, size, {.offset_bytes = page * size}, {.page_id = first + done + page});
        }
        noc.async_write_barrier();
#endif
        ring.pop_front(at_a_time);
#endif
    }
}

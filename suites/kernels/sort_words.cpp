// Sorts the words of a page in L1, from the smallest to the largest (heap sort: in place, whatever comes).
// Definition ELEMENT: the type of the words, uint32_t or int32_t.
// Compile-time arguments: TensorAccessors of the source and of the output.
// Runtime arguments: 0 source, 1 output, 2 page size in bytes, 3 words that are sorted, 4 L1 scratch for a page.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

// Lets the element at `root` sink to where both that hang from it are no greater.
inline void sink(volatile tt_l1_ptr uint32_t* words, uint32_t root, uint32_t count) {
    const uint32_t sinking = words[root];
    for (;;) {
        uint32_t child = 2 * root + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && static_cast<ELEMENT>(words[child]) < static_cast<ELEMENT>(words[child + 1])) {
            ++child;
        }
        if (static_cast<ELEMENT>(words[child]) <= static_cast<ELEMENT>(sinking)) {
            break;
        }
        words[root] = words[child];
        root = child;
    }
    words[root] = sinking;
}

void kernel_main() {
    constexpr auto source_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<source_args.next_compile_time_args_offset()>();
    const uint32_t page_size = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const uint32_t l1_address = get_arg_val<uint32_t>(4);

    const auto source = TensorAccessor(source_args, get_arg_val<uint32_t>(0), page_size);
    noc_async_read(source.get_noc_addr(0), l1_address, page_size);
    noc_async_read_barrier();
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
    for (uint32_t root = count / 2; root > 0; --root) {
        sink(words, root - 1, count);
    }
    for (uint32_t end = count; end > 1; --end) {
        const uint32_t largest = words[0];
        words[0] = words[end - 1];
        words[end - 1] = largest;
        sink(words, 0, end - 1);
    }
    // The stores must be in L1 before a request reads them.
    noc_semaphore_set(words, words[0]);
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1), page_size);
    noc_async_write(l1_address, output.get_noc_addr(0), page_size);
    noc_async_write_barrier();
}

// What objects and small functions of the data-movement API tell without a transfer, each as a word of the result.
// Compile-time arguments: TensorAccessor of the result.
// Runtime arguments: 0 result, 1 an L1 address with room for 256 bytes, 2 an L1 address with the words 10, 13, 16, …, 3 a number.
// Common runtime arguments: 0 and 1 numbers.
// The circular buffer 5 has three pages of 64 bytes, and tiles of 16 × 32.

#include <cstdint>

#include "api/alignment.h"
#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/numeric/bfloat16.h"
#include "api/numeric/float32.h"
#include "api/numeric/int32.h"
#include "api/tensor/local_tensor_accessor.h"
#include "api/tensor/noc_traits.h"
#include "ckernel.h"
#include "experimental/kernel_args.h"

namespace {

volatile uint32_t* line;
uint32_t count = 0;

void put(uint32_t word) { line[count++] = word; }

// Truth values as bits, the first one lowest.
template <typename... Truths>
void put_bits(Truths... truths) {
    uint32_t bits = 0;
    uint32_t place = 0;
    ((bits |= uint32_t{truths} << place++), ...);
    put(bits);
}

float of_bits(uint32_t bits) { return __builtin_bit_cast(float, bits); }

struct Pair {
    uint32_t first;
    uint32_t second;
};

void memory(uint32_t base) {
    const CoreLocalMem<uint32_t> start(static_cast<uintptr_t>(base));
    put(start[2]);
    put(*start);
    put(CoreLocalMem<Pair>(static_cast<uintptr_t>(base))->second);
    CoreLocalMem<uint32_t> place = start;
    place += 4;
    put(*place);
    place -= 1;
    put(*place);
    put(*++place);
    put(*--place);
    put(*place++);
    put(*place);
    put(*place--);
    put(*place);
    put(*(start + 5));
    put(*(place - 2));
    put(place - start);
    put_bits(start == start, start == place, start != place, start != start, start < place, place < start, start < start,
             start <= start, place <= start, start > place, place > start, start > start, start >= start, start >= place,
             static_cast<bool>(start), static_cast<bool>(CoreLocalMem<uint32_t>(uintptr_t{0})));
    put(CoreLocalMem<uint32_t>(start.get_unsafe_ptr() + 1).get_address() - base);
    const LocalTensorAccessor<uint32_t> part(base);
    put(part[3]);
    put(part.get_bank_base_address() - base);
    put(*part.local_mem());
    put(ckernel::load_blocking(reinterpret_cast<volatile uint32_t*>(base)));
}

void numbers() {
    put(__builtin_bit_cast(uint32_t, bf16_to_fp32(0x3FC0)));
    put(fp32_to_bf16(of_bits(0x3F808000)));
    put(fp32_to_bf16(of_bits(0x3F818000)));
    put(fp32_to_bf16_truncate(of_bits(0x3F80FFFF)));
    const FloatBits halves(of_bits(0x12345678));
    put(uint32_t{halves.high16} << 16 | halves.low16);
    put_bits(bfloat16_greater(0x4000, 0x3F80), bfloat16_greater(0x3F80, 0x4000), bfloat16_greater(0xBF80, 0xC000),
             bfloat16_greater(0xC000, 0xBF80), bfloat16_greater(0x3F80, 0xBF80), bfloat16_greater(0xBF80, 0x3F80));
    put_bits(float32_greater(0x40000000, 0x3F800000), float32_greater(0x3F800000, 0x40000000),
             float32_greater(0xBF800000, 0xC0000000), float32_greater(0xC0000000, 0xBF800000),
             float32_greater(0x3F800000, 0xBF800000), float32_greater(0xBF800000, 0x3F800000),
             float32_greater(0x7FC00000, 0x3F800000), float32_greater(0x3F800000, 0xFFC00000),
             float32_greater(0x00000000, 0x80000000));
    put_bits(int32_greater(1, -1), int32_greater(-1, 1), is_power_of_2(0), is_power_of_2(1), is_power_of_2(64),
             is_power_of_2(48));
    put(align_power_of_2(65, 64) + align_power_of_2(64, 64));
    put(align(13, 6) + 1000 * align(12, 6));
    put(experimental::get_arg(experimental::RtaArg<uint32_t>{12}));
    put(experimental::get_arg(experimental::CrtaArg<uint32_t>{4}));
    put(experimental::get_arg(experimental::CtaVal<uint32_t>{99}));
}

void buffers() {
    DataflowBuffer buffer(5);
    CircularBuffer same(5);
    put(buffer.get_id() + 100 * same.get_cb_id());
    put(buffer.get_entry_size());
    put(buffer.get_stride_size());
    put(buffer.get_total_num_entries() + 10 * buffer.get_local_num_entries() + 100 * buffer.get_ring_span_num_entries());
    put(buffer.get_total_size_bytes());
    put(buffer.get_local_size_bytes());
    put(buffer.get_ring_span_bytes());
    put(buffer.get_producer_share() + 10 * buffer.get_consumer_share() + 100 * buffer.get_producer_stride_tiles() +
        1000 * buffer.get_consumer_stride_tiles());
    put(buffer.get_face_r_dim() + 100 * buffer.get_num_faces_r_dim() + 1000 * buffer.get_num_faces_c_dim());
    put(same.get_tile_size() + 10000 * static_cast<uint32_t>(same.get_dataformat()));
    put(same.get_tile_hw());
    put_bits(buffer.pages_reservable_at_back(3), buffer.pages_reservable_at_back(4), buffer.pages_available_at_front(1),
             same.pages_reservable_at_back(3), same.pages_reservable_at_back(4), same.pages_available_at_front(1));
    buffer.reserve_back(2);
    buffer.push_back(2);
    put_bits(buffer.pages_available_at_front(2), buffer.pages_available_at_front(3), buffer.pages_reservable_at_back(1),
             buffer.pages_reservable_at_back(2), same.pages_available_at_front(2), same.pages_available_at_front(3),
             same.pages_reservable_at_back(1), same.pages_reservable_at_back(2));
    put(buffer.get_write_ptr() - buffer.get_read_ptr());
    put(same.get_write_ptr() - same.get_read_ptr());
    {
        const auto reading = buffer.scoped_read_lock(2);
        const auto writing = buffer.scoped_write_lock();
        put(writing.get_ptr().get_address() - reading.get_ptr().get_address());
    }
    const uint32_t writes = buffer.get_write_ptr();
    const uint32_t reads = buffer.get_read_ptr();
    buffer.evil_set_write_ptr(reads + 64);
    put(buffer.get_write_ptr() - reads);
    buffer.evil_set_write_ptr(writes);
    buffer.evil_set_read_ptr(reads + 32);
    put(buffer.get_read_ptr() - reads);
    buffer.evil_set_read_ptr(reads);
    buffer.wait_front(2);
    buffer.pop_front(2);
    same.reserve_back(1);
    same.push_back(1);
    same.wait_front(1);
    same.pop_front(1);
    buffer.finish();
    put(buffer.get_write_ptr() - reads);
    put(buffer.get_read_ptr() - reads);
}

}  // namespace

void kernel_main() {
    const auto result = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    const CoreLocalMem<volatile uint32_t> words(get_arg_val<uint32_t>(1));
    line = words.get_unsafe_ptr();
    memory(get_arg_val<uint32_t>(2));
    numbers();
    buffers();
    put(count);
    while (count < 64) {
        put(0);
    }
    while (line[63] != 0) {
    }
    Noc noc;
    noc.async_write(words, result, 256, {}, {.page_id = 0});
    noc.async_write_barrier();
}

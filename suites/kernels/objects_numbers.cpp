// Numbers of <cmath>, <limits> and <optional>, one or two words each.
// Compile-time arguments: the accessor of the result.
// Runtime arguments: the L1 scratch address, the result's address, then the bits of: an integer, three floats, a double (two
// words), a number of 64 bits (two words).
// Compile-time arguments for a check: 2,256
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

namespace {

volatile uint32_t* line;
uint32_t count = 0;

void put(uint32_t word) { line[count++] = word; }
void put(float value) { put(__builtin_bit_cast(uint32_t, value)); }
void put(double value) {
    const uint64_t bits = __builtin_bit_cast(uint64_t, value);
    put(static_cast<uint32_t>(bits));
    put(static_cast<uint32_t>(bits >> 32));
}

uint64_t two_words(int first) {
    return static_cast<uint64_t>(get_arg_val<uint32_t>(first + 1)) << 32 | get_arg_val<uint32_t>(first);
}

}  // namespace

void kernel_main() {
    const auto result = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(1));
    CoreLocalMem<volatile uint32_t> memory(get_arg_val<uint32_t>(0));
    line = memory.get_unsafe_ptr();
    const int integer = get_arg_val<int>(2);
    const double number = __builtin_bit_cast(double, two_words(6));
    const int64_t wide = static_cast<int64_t>(two_words(8));

    put(static_cast<uint32_t>(std::abs(integer)));
    put(static_cast<uint32_t>(std::abs(wide)));
    put(std::sqrt(integer * integer));
    for (int place = 3; place < 6; ++place) {
        const float value = get_arg_val<float>(place);
        put(std::sqrt(std::abs(value)));
        put(std::floor(value));
        put(std::ceil(value));
        put(std::trunc(value));
    }
    put(std::sqrt(number));
    put(std::floor(number));
    put(std::ceil(-number));
    put(std::abs(-number));
    put(std::numeric_limits<double>::max());
    put(std::numeric_limits<double>::lowest());
    put(std::numeric_limits<double>::epsilon());
    put(std::numeric_limits<float>::min());
    put(static_cast<uint32_t>(std::numeric_limits<const int16_t>::min()));
    put(static_cast<uint32_t>(std::numeric_limits<int64_t>::digits));
    put(static_cast<uint32_t>(std::isnan(std::floor(std::numeric_limits<float>::quiet_NaN() * get_arg_val<float>(3)))));
    put(static_cast<uint32_t>(std::isinf(std::sqrt(std::numeric_limits<double>::infinity() + number))));
    std::optional<uint32_t> chosen = std::nullopt;
    put(chosen.value_or(17));
    chosen = static_cast<uint32_t>(integer);
    put(chosen.has_value() ? *chosen : uint32_t{0});
    while (count < 64) {
        put(uint32_t{0});
    }
    const uint32_t last = line[63];
    while (line[63] != last) {
    }

    Noc noc;
    noc.async_write(memory, result, 256, {}, {.page_id = 0});
    noc.async_write_barrier();
}

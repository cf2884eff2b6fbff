// Addresses and sizes rounded up.
#pragma once

#include <stdint.h>

[[gnu::always_inline]] constexpr bool is_power_of_2(uint32_t n) { return n != 0 && (n & (n - 1)) == 0; }

// `alignment` is a power of two.
[[gnu::always_inline]] constexpr uint32_t align_power_of_2(uint32_t addr, uint32_t alignment) {
    return (addr + alignment - 1) & ~(alignment - 1);
}

[[gnu::always_inline]] constexpr uint32_t align(uint32_t addr, uint32_t alignment) {
    return (addr + alignment - 1) / alignment * alignment;
}

// Blackhole's data cache as a kernel turns it on and off: bits of a control register that the assembler does not
// know for the instruction set that kernels are built for.
#pragma once

#include <cstdint>

namespace data_cache {

// Bits of `cfg0`: the cache is off; no hit empties it.
constexpr uint32_t kOff = 1u << 3;
constexpr uint32_t kHitsKeep = 1u << 24;

inline void set(uint32_t bits) { asm volatile("fence\n.insn i 0x73, 2, x0, %0, 0x7C0" : : "r"(bits) : "memory"); }

inline void clear(uint32_t bits) { asm volatile("fence\n.insn i 0x73, 3, x0, %0, 0x7C0" : : "r"(bits) : "memory"); }

// `amoadd.w`
inline void atomic_add(volatile uint32_t* word, uint32_t value) {
    asm volatile(".insn r 0x2F, 2, 0x00, x0, %0, %1" : : "r"(word), "r"(value) : "memory");
}

}  // namespace data_cache

// Markers of a profile, as firmware and kernels write them. Only builds for a profile include this header.
//
// The host is told where a tile's words lie (profiler_abi.rs): control first, then a buffer for each processor.
#pragma once

#include <stdint.h>

#include "hallmark/profiler_abi.h"
#include "hallmark/registers.h"

namespace hallmark {

inline volatile uint32_t& profiler_control(uint32_t word) {
    return *reinterpret_cast<volatile uint32_t*>(PROFILER_PLACE + 4 * word);
}

inline volatile uint32_t& profiler_word(uint32_t processor, uint32_t word) {
    return *reinterpret_cast<volatile uint32_t*>(
        PROFILER_PLACE + 4 * (kProfilerControlWords + processor * kProfilerBufferWords + word));
}

// Reading the low half of the clock latches the high one.
inline __attribute__((always_inline)) void mark_time(uint32_t index, uint32_t number_and_kind) {
    const uint32_t low = register_at(kWallClockLow);
    const uint32_t high = register_at(kWallClockHigh);
    profiler_word(PROCESSOR_INDEX, index) =
        kMarkerValid | (number_and_kind << kMarkerNumberShift) | (high & kMarkerTimeMask);
    profiler_word(PROCESSOR_INDEX, index + 1) = low;
}

constexpr uint32_t marker(uint32_t number, uint32_t kind) { return number | (kind << kMarkerKindShift); }

constexpr uint32_t hash_of(const char* text, uint32_t length) {
    uint32_t hash = 0x811C'9DC5u;
    for (uint32_t i = 0; i < length; ++i) {
        hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x0100'0193u;
    }
    return hash;
}

template <__SIZE_TYPE__ kN>
constexpr uint32_t zone_number(const char (&text)[kN]) {
    const uint32_t hash = hash_of(text, kN - 1);
    return (hash ^ (hash >> 16)) & 0xFFFF;
}

}  // namespace hallmark

#define HALLMARK_TEXT_OF(x) #x
#define HALLMARK_LINE_TEXT(x) HALLMARK_TEXT_OF(x)

// A zone's text, from which its number is made: TT-Metalium's PROFILER_MSG_NAME.
#define HALLMARK_ZONE_TEXT(name) name "," __FILE__ "," HALLMARK_LINE_TEXT(__LINE__) ",KERNEL_PROFILER"

// Leaves the text in the ELF, where the host finds it by its number; it takes no memory on the device.
#define HALLMARK_ZONE_NAMED(name)                                                              \
    asm(".pushsection .hallmark.zones, \"\", @progbits\n.asciz \"" HALLMARK_ZONE_TEXT(name) \
        "\"\n.popsection")

#define HALLMARK_ZONE_NUMBER(name) hallmark::zone_number(HALLMARK_ZONE_TEXT(name))

// Text and number are of one line because one macro makes both.
#define HALLMARK_MARK_ZONE_START(name, index) \
    HALLMARK_ZONE_NAMED(name);                \
    hallmark::mark_time(index, hallmark::marker(HALLMARK_ZONE_NUMBER(name), hallmark::kMarkerZoneStart))

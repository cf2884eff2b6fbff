// The firmware's part of a profile: its own zone, and the way of all markers of a tile to DRAM. Nothing of it is in a
// build that is not for a profile.
#pragma once

#ifdef PROFILE_KERNEL

#include "api/debug/kernel_profiler.hpp"

#if PROCESSOR_INDEX == 0
#define FIRMWARE_ZONE "BRISC-FW"
#elif PROCESSOR_INDEX == 1
#define FIRMWARE_ZONE "NCRISC-FW"
#else
#define FIRMWARE_ZONE "TRISC-FW"
#endif

namespace hallmark {

// A launch begins on this processor: what is in its buffer is of an earlier one.
inline void profile_launch_begins() {
    for (uint32_t word = 0; word < kProfilerFirstMarker; ++word) {
        profiler_word(PROCESSOR_INDEX, word) = 0;
    }
    profiler_control(kProfilerDropped + PROCESSOR_INDEX) = 0;
    profiler_control(kProfilerInL1 + PROCESSOR_INDEX) = kProfilerFirstMarker;
    HALLMARK_MARK_ZONE_START(FIRMWARE_ZONE, kProfilerFirmwareZone);
}

// A number is of the line that names it: the end takes that of the start.
inline void profile_launch_ends() {
    const uint32_t start = profiler_word(PROCESSOR_INDEX, kProfilerFirmwareZone);
    const uint32_t number = (start >> kMarkerNumberShift) & 0xFFFF;
    mark_time(kProfilerFirmwareZone + 2, marker(number, kMarkerZoneEnd));
}

}  // namespace hallmark

#else

namespace hallmark {

inline void profile_launch_begins() {}
inline void profile_launch_ends() {}

}  // namespace hallmark

#endif

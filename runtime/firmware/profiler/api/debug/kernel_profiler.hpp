// Zones, events and data of kernels in a profile, spelled as in TT-Metalium's header of this name. Builds that are not
// for a profile hold nothing of them.
#pragma once

#include <stdint.h>

#ifdef PROFILE_KERNEL

#include "hallmark/profiler.h"

namespace kernel_profiler {

inline constexpr uint32_t kSums = 2;

// Words of this processor's buffer that are filled, and words kept for the ends of zones that are open.
extern uint32_t wIndex;
extern uint32_t stackSize;
extern uint32_t sums[kSums];
extern uint32_t sumIDs[kSums];

inline __attribute__((always_inline)) void keep(uint32_t words) {
    wIndex += words;
    // A kernel that dies leaves what it has marked.
    hallmark::profiler_control(hallmark::kProfilerInL1 + PROCESSOR_INDEX) = wIndex;
}

inline __attribute__((always_inline)) bool has_room(uint32_t words) {
    if (wIndex + words + stackSize <= hallmark::kProfilerBufferWords) {
        return true;
    }
    hallmark::profiler_control(hallmark::kProfilerDropped + PROCESSOR_INDEX) =
        hallmark::profiler_control(hallmark::kProfilerDropped + PROCESSOR_INDEX) + 1;
    return false;
}

template <uint32_t number>
struct profileScope {
    bool start_marked;

    // The end of a zone always has room once its start has.
    inline __attribute__((always_inline)) profileScope() : start_marked(has_room(4)) {
        if (start_marked) {
            hallmark::mark_time(wIndex, hallmark::marker(number, hallmark::kMarkerZoneStart));
            keep(2);
            stackSize += 2;
        }
    }

    inline __attribute__((always_inline)) ~profileScope() {
        if (start_marked) {
            hallmark::mark_time(wIndex, hallmark::marker(number, hallmark::kMarkerZoneEnd));
            keep(2);
            stackSize -= 2;
        }
    }
};

template <uint32_t number, uint32_t index>
struct profileScopeGuaranteed {
    static constexpr uint32_t kPlace =
        index == 0 ? hallmark::kProfilerFirmwareZone : hallmark::kProfilerKernelZone;

    inline __attribute__((always_inline)) profileScopeGuaranteed() {
        hallmark::mark_time(kPlace, hallmark::marker(number, hallmark::kMarkerZoneStart));
    }

    inline __attribute__((always_inline)) ~profileScopeGuaranteed() {
        hallmark::mark_time(kPlace + 2, hallmark::marker(number, hallmark::kMarkerZoneEnd));
    }
};

template <uint32_t number, uint32_t index>
struct profileScopeAccumulate {
    uint32_t start;

    inline __attribute__((always_inline)) profileScopeAccumulate()
        : start(hallmark::register_at(hallmark::kWallClockLow)) {}

    inline __attribute__((always_inline)) ~profileScopeAccumulate() {
        sumIDs[index] = number;
        sums[index] += hallmark::register_at(hallmark::kWallClockLow) - start;
    }
};

template <uint32_t number>
inline __attribute__((always_inline)) void timeStampedData(uint64_t data) {
    if (has_room(4)) {
        hallmark::mark_time(wIndex, hallmark::marker(number, hallmark::kMarkerTimestampedData));
        hallmark::profiler_word(PROCESSOR_INDEX, wIndex + 2) = static_cast<uint32_t>(data >> 32);
        hallmark::profiler_word(PROCESSOR_INDEX, wIndex + 3) = static_cast<uint32_t>(data);
        keep(4);
    }
}

inline __attribute__((always_inline)) void recordEvent(uint16_t event_id) {
    if (has_room(2)) {
        hallmark::mark_time(wIndex, hallmark::marker(event_id, hallmark::kMarkerEvent));
        keep(2);
    }
}

}  // namespace kernel_profiler

#define DeviceZoneScopedN(name) \
    HALLMARK_ZONE_NAMED(name);  \
    kernel_profiler::profileScope<HALLMARK_ZONE_NUMBER(name)> zone;

#define DeviceZoneScopedMainN(name) \
    HALLMARK_ZONE_NAMED(name);      \
    kernel_profiler::profileScopeGuaranteed<HALLMARK_ZONE_NUMBER(name), 0> zone;

#define DeviceZoneScopedMainChildN(name) \
    HALLMARK_ZONE_NAMED(name);           \
    kernel_profiler::profileScopeGuaranteed<HALLMARK_ZONE_NUMBER(name), 1> zone;

#define DeviceZoneScopedSumN1(name) \
    HALLMARK_ZONE_NAMED(name);      \
    kernel_profiler::profileScopeAccumulate<HALLMARK_ZONE_NUMBER(name), 0> zone;

#define DeviceZoneScopedSumN2(name) \
    HALLMARK_ZONE_NAMED(name);      \
    kernel_profiler::profileScopeAccumulate<HALLMARK_ZONE_NUMBER(name), 1> zone;

#define DeviceTimestampedData(name, data)                                  \
    {                                                                      \
        HALLMARK_ZONE_NAMED(name);                                         \
        kernel_profiler::timeStampedData<HALLMARK_ZONE_NUMBER(name)>(data); \
    }

#define DeviceRecordEvent(event_id) kernel_profiler::recordEvent(event_id);

#else

// A name must be a text, and an argument an expression, although nothing comes of them.
#define DeviceZoneScopedN(name) (void(name))
#define DeviceZoneScopedMainN(name) (void(name))
#define DeviceZoneScopedMainChildN(name) (void(name))
#define DeviceZoneScopedSumN1(name) (void(name))
#define DeviceZoneScopedSumN2(name) (void(name))
#define DeviceTimestampedData(name, data) (void(sizeof(name) + sizeof(data)))
#define DeviceRecordEvent(event_id) (void(sizeof(event_id)))

#endif

// Upstream's profiler takes the number of a launch from the first, and drops the markers of a launch by the second. Hallmark's
// knows the launches, and keeps all markers.
#define DeviceZoneSetCounter(counter) (void(sizeof(counter)))
#define DeviceValidateProfiler(condition) (void(sizeof(condition)))

#define DeviceZoneScopedNIf(name, active) DeviceZoneScopedN(name)

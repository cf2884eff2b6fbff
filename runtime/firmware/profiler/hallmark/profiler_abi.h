// Generated from runtime/device-code/src/profiler_abi.rs by scripts/device-code; do not edit.
#pragma once

#include <stdint.h>

namespace hallmark {

inline constexpr uint32_t kProfilerProcessors = 0x5;
inline constexpr uint32_t kProfilerBufferWords = 0x200;
inline constexpr uint32_t kProfilerDramWords = 0x4000;
inline constexpr uint32_t kProfilerDramAlignmentWords = 0x10;
inline constexpr uint32_t kProfilerControlWords = 0x40;
inline constexpr uint32_t kProfilerInDram = 0x0;
inline constexpr uint32_t kProfilerInL1 = 0x8;
inline constexpr uint32_t kProfilerDropped = 0x10;
inline constexpr uint32_t kProfilerLaunches = 0x18;
inline constexpr uint32_t kProfilerDramAddress = 0x1c;
inline constexpr uint32_t kProfilerDramTile = 0x1d;
inline constexpr uint32_t kProfilerHeaderLaunch = 0x0;
inline constexpr uint32_t kProfilerHeaderDropped = 0x1;
inline constexpr uint32_t kProfilerHeaderWords = 0x2;
inline constexpr uint32_t kProfilerFirmwareZone = 0x4;
inline constexpr uint32_t kProfilerKernelZone = 0x8;
inline constexpr uint32_t kProfilerFirstMarker = 0xc;
inline constexpr uint32_t kMarkerZoneStart = 0x0;
inline constexpr uint32_t kMarkerZoneEnd = 0x1;
inline constexpr uint32_t kMarkerZoneTotal = 0x2;
inline constexpr uint32_t kMarkerTimestampedData = 0x3;
inline constexpr uint32_t kMarkerEvent = 0x4;
inline constexpr uint32_t kMarkerValid = 0x80000000;
inline constexpr uint32_t kMarkerNumberShift = 0xc;
inline constexpr uint32_t kMarkerKindShift = 0x10;
inline constexpr uint32_t kMarkerTimeMask = 0xfff;

}  // namespace hallmark

// Blackhole, as far as it differs from other chips.
// Sources: tt-metal, hw/inc/internal/tt-1xx/blackhole: noc/noc_parameters.h,
// noc/noc_overlay_parameters.h, cfg_defines.h; noc_nonblocking_api.h for the two hardware bugs;
// tt-1xx/cache.h.
#pragma once

#include <stdint.h>

namespace hallmark {

inline constexpr uint32_t kCircularBuffers = 64;
inline constexpr uint32_t kDramAlignment = 64;

// Words of the Tensix backend configuration.
inline constexpr uint32_t kConfigInvalidateCaches = 185;

// The two registers of an overlay stream that hold the page counts of a circular buffer.
inline constexpr uint32_t kOverlayRemoteDestBufStart = 8 * 4;
inline constexpr uint32_t kOverlayRemoteDestBufSize = 10 * 4;

// NoC interfaces.
inline constexpr uint32_t kNocCommandBufferStride = 0x800;
inline constexpr uint32_t kNocTargetHigh = 0x08;
inline constexpr uint32_t kNocReturnHigh = 0x14;
inline constexpr uint32_t kNocData = 0x28;
inline constexpr uint32_t kNocCommand = 0x40;
inline constexpr uint32_t kNocMaxBurst = 16384;
// Both need all four ports of an L1 at once and may hang where one of them is busy: an inline write is
// made a plain one, and an atomic waits for its response.
inline constexpr bool kInlineWritesToL1 = false;
inline constexpr bool kPostedAtomics = false;
// Requests outstanding, and writes whose data has not left, by transaction identifier.
#define HALLMARK_NOC_COUNTS_TRANSACTIONS 1
inline constexpr uint32_t kNocOutstanding = 0x240;
inline constexpr uint32_t kNocOutgoing = 0x280;
inline constexpr uint32_t kNocClearOutstanding = 0x60;

}  // namespace hallmark

// The data cache is not coherent with L1, and `fence` empties it. Firmware may have turned it off.
inline __attribute__((always_inline)) void invalidate_l1_cache() { asm volatile("fence" : : : "memory"); }

// Wormhole B0, as far as it differs from other chips.
// Sources: tt-isa-documentation, WormholeB0 (TensixTile, NoC/MemoryMap.md, NoC/Counters.md).
#pragma once

#include <stdint.h>

namespace hallmark {

inline constexpr uint32_t kCircularBuffers = 32;
inline constexpr uint32_t kDramAlignment = 32;

// Words of the Tensix backend configuration.
inline constexpr uint32_t kConfigInvalidateCaches = 157;
inline constexpr uint32_t kConfigTriscResetPc = 158;
inline constexpr uint32_t kConfigTriscResetOverride = 161;
inline constexpr uint32_t kConfigNcriscResetPc = 162;
inline constexpr uint32_t kConfigNcriscResetOverride = 163;

// TDMA-RISC, as far as it fills NCRISC's instruction RAM. Addresses and sizes in units of 16 bytes.
inline constexpr uint32_t kMoverSource = 0xFFB1'1000;
inline constexpr uint32_t kMoverDestination = 0xFFB1'1004;
inline constexpr uint32_t kMoverSize = 0xFFB1'1008;
inline constexpr uint32_t kMoverDirection = 0xFFB1'100C;
inline constexpr uint32_t kMoverCommand = 0xFFB1'1010;
inline constexpr uint32_t kMoverStatus = 0xFFB1'1014;
inline constexpr uint32_t kMoverInstructionRam = 0x4000;
inline constexpr uint32_t kMoverFromL1 = 1;
inline constexpr uint32_t kMoverCopy = 0x40;
inline constexpr uint32_t kMoverBusy = 1u << 0;
inline constexpr uint32_t kMoverQueueEmpty = 1u << 3;

// The two registers of an overlay stream that hold the page counts of a circular buffer.
inline constexpr uint32_t kOverlayRemoteDestBufStart = 3 * 4;
inline constexpr uint32_t kOverlayRemoteDestBufSize = 4 * 4;

// NoC interfaces.
inline constexpr uint32_t kNocCommandBufferStride = 0x400;
inline constexpr uint32_t kNocData = 0x24;
inline constexpr uint32_t kNocCommand = 0x28;
inline constexpr uint32_t kNocMaxBurst = 8192;
inline constexpr bool kInlineWritesToL1 = true;
inline constexpr bool kPostedAtomics = true;
// Requests outstanding, and writes whose data has not left, by transaction identifier.
#define HALLMARK_NOC_COUNTS_TRANSACTIONS 1
inline constexpr uint32_t kNocOutstanding = 0x240;
inline constexpr uint32_t kNocOutgoing = 0x280;
inline constexpr uint32_t kNocClearOutstanding = 0x50;

}  // namespace hallmark

// Wormhole's baby cores have no data cache, and `fence` orders nothing there: only the compiler is held.
inline __attribute__((always_inline)) void invalidate_l1_cache() { asm volatile("" : : : "memory"); }

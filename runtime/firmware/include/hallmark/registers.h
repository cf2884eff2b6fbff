// Registers of a Tensix tile as its baby cores see them.
// Sources: tt-isa-documentation, WormholeB0 (TensixTile, NoC/MemoryMap.md, NoC/Counters.md).
#pragma once

#include <stdint.h>

namespace hallmark {

inline volatile uint32_t& register_at(uint32_t address) {
    return *reinterpret_cast<volatile uint32_t*>(address);
}

#if defined(ARCH_WORMHOLE)

inline constexpr uint32_t kCircularBuffers = 32;

// Soft reset: all zero releases every core.
inline constexpr uint32_t kSoftReset = 0xFFB1'21B0;

// The clock; reading the low half latches the high one.
inline constexpr uint32_t kWallClockLow = 0xFFB1'21F0;
inline constexpr uint32_t kWallClockHigh = 0xFFB1'21F8;

// Tensix backend configuration, in words.
inline constexpr uint32_t kConfig = 0xFFEF'0000;
inline constexpr uint32_t kConfigInvalidateCaches = 157;
inline constexpr uint32_t kConfigTriscResetPc = 158;
inline constexpr uint32_t kConfigTriscResetOverride = 161;
inline constexpr uint32_t kConfigNcriscResetPc = 162;
inline constexpr uint32_t kConfigNcriscResetOverride = 163;
inline constexpr uint32_t kAllCores = 0x1F;

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

// Overlay streams hold the page counts of circular buffers.
inline constexpr uint32_t kOverlay = 0xFFB4'0000;
inline constexpr uint32_t kOverlayStride = 0x1000;
inline constexpr uint32_t kOverlayRemoteDestBufStart = 3 * 4;
inline constexpr uint32_t kOverlayRemoteDestBufSize = 4 * 4;

// Mailboxes between BRISC and the TRISCs, one value each way.
inline constexpr uint32_t kCoreMailbox = 0xFFEC'0000;
inline constexpr uint32_t kCoreMailboxStride = 0x1000;

// NoC interfaces.
inline constexpr uint32_t kNoc = 0xFFB2'0000;
inline constexpr uint32_t kNocStride = 0x1'0000;
inline constexpr uint32_t kNocCommandBufferStride = 0x400;
inline constexpr uint32_t kNocTargetLow = 0x00;
inline constexpr uint32_t kNocTargetMiddle = 0x04;
inline constexpr uint32_t kNocReturnLow = 0x0C;
inline constexpr uint32_t kNocReturnMiddle = 0x10;
inline constexpr uint32_t kNocPacketTag = 0x18;
inline constexpr uint32_t kNocControl = 0x1C;
inline constexpr uint32_t kNocLength = 0x20;
inline constexpr uint32_t kNocData = 0x24;
inline constexpr uint32_t kNocCommand = 0x28;
inline constexpr uint32_t kNocAtomicResponses = 0x200;
inline constexpr uint32_t kNocWriteAcks = 0x204;
inline constexpr uint32_t kNocReadResponses = 0x208;
inline constexpr uint32_t kNocWritesSent = 0x228;
inline constexpr uint32_t kNocPostedWritesSent = 0x22C;
inline constexpr uint32_t kNocMaxBurst = 8192;
// Columns and rows, to mirror raw coordinates for NoC 1; from these on coordinates are translated.
inline constexpr uint32_t kNocColumns = 10;
inline constexpr uint32_t kNocRows = 12;
inline constexpr uint32_t kNocFirstTranslated = 16;
// Bits of a NoC address below the coordinates.
inline constexpr uint32_t kNocAddressBits = 36;

#else
#error "this architecture has no register table yet"
#endif

inline constexpr uint32_t cb_received_register(uint32_t index) {
    return kOverlay + index * kOverlayStride + kOverlayRemoteDestBufSize;
}

inline constexpr uint32_t cb_acknowledged_register(uint32_t index) {
    return kOverlay + index * kOverlayStride + kOverlayRemoteDestBufStart;
}

}  // namespace hallmark

// Registers of a Tensix tile as its baby cores see them: what differs from chip to chip is in
// hallmark/chip.h, of which each architecture has its own.
#pragma once

#include <stdint.h>

#include "hallmark/chip.h"

namespace hallmark {

inline volatile uint32_t& register_at(uint32_t address) {
    return *reinterpret_cast<volatile uint32_t*>(address);
}

// Soft reset: all zero releases every core.
inline constexpr uint32_t kSoftReset = 0xFFB1'21B0;

// The clock; reading the low half latches the high one.
inline constexpr uint32_t kWallClockLow = 0xFFB1'21F0;
inline constexpr uint32_t kWallClockHigh = 0xFFB1'21F8;

// Tensix backend configuration, in words.
inline constexpr uint32_t kConfig = 0xFFEF'0000;
inline constexpr uint32_t kAllCores = 0x1F;

// Overlay streams hold the page counts of circular buffers.
inline constexpr uint32_t kOverlay = 0xFFB4'0000;
inline constexpr uint32_t kOverlayStride = 0x1000;

// Mailboxes between BRISC and the TRISCs, one value each way.
inline constexpr uint32_t kCoreMailbox = 0xFFEC'0000;
inline constexpr uint32_t kCoreMailboxStride = 0x1000;

// NoC interfaces.
inline constexpr uint32_t kNoc = 0xFFB2'0000;
inline constexpr uint32_t kNocStride = 0x1'0000;
inline constexpr uint32_t kNocTargetLow = 0x00;
inline constexpr uint32_t kNocTargetMiddle = 0x04;
inline constexpr uint32_t kNocReturnLow = 0x0C;
inline constexpr uint32_t kNocReturnMiddle = 0x10;
inline constexpr uint32_t kNocPacketTag = 0x18;
inline constexpr uint32_t kNocControl = 0x1C;
inline constexpr uint32_t kNocLength = 0x20;
inline constexpr uint32_t kNocAtomicResponses = 0x200;
inline constexpr uint32_t kNocWriteAcks = 0x204;
inline constexpr uint32_t kNocReadResponses = 0x208;
inline constexpr uint32_t kNocWritesSent = 0x228;
inline constexpr uint32_t kNocPostedWritesSent = 0x22C;
// Registers start here, in every tile and for cores as for requests.
inline constexpr uint32_t kFirstRegister = 0xFFB0'0000;

inline constexpr uint32_t cb_received_register(uint32_t index) {
    return kOverlay + index * kOverlayStride + kOverlayRemoteDestBufSize;
}

inline constexpr uint32_t cb_acknowledged_register(uint32_t index) {
    return kOverlay + index * kOverlayStride + kOverlayRemoteDestBufStart;
}

}  // namespace hallmark

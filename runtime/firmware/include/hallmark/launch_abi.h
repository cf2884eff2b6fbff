// Generated from runtime/src/device_code/launch_block.rs by scripts/device-code; do not edit.
#pragma once

#include <stdint.h>

namespace hallmark {

inline constexpr uint32_t kLaunchAbi = 0x1;
inline constexpr uint32_t kSemaphoreStride = 0x10;
inline constexpr uint32_t kBootReady = 0x4b524d48;
inline constexpr uint32_t kMailboxLaunchBlock = 0x0;
inline constexpr uint32_t kMailboxGo = 0x4;
inline constexpr uint32_t kMailboxBootStatus = 0x10;
inline constexpr uint32_t kMailboxDone = 0x14;
inline constexpr uint32_t kMailboxAbi = 0x18;
inline constexpr uint32_t kMailboxStart = 0x20;
inline constexpr uint32_t kMailboxFinished = 0x40;
inline constexpr uint32_t kInlineStaging = 0x20;
inline constexpr uint32_t kLaunchVersion = 0x0;
inline constexpr uint32_t kLaunchProcessors = 0x4;
inline constexpr uint32_t kLaunchBankTables = 0x8;
inline constexpr uint32_t kLaunchSemaphores = 0xc;
inline constexpr uint32_t kLaunchCircularBuffers = 0x10;
inline constexpr uint32_t kLaunchCircularBufferCount = 0x14;
inline constexpr uint32_t kLaunchNocXy = 0x18;
inline constexpr uint32_t kLaunchLogicalXy = 0x1c;
inline constexpr uint32_t kLaunchProcessor = 0x20;
inline constexpr uint32_t kLaunchProcessorStride = 0xc;
inline constexpr uint32_t kLaunchAtomicReturn = 0x5c;
inline constexpr uint32_t kCircularBufferSlotSize = 0x10;
inline constexpr uint32_t kBankDramCount = 0x0;
inline constexpr uint32_t kBankL1Count = 0x4;
inline constexpr uint32_t kBankDram = 0x10;
inline constexpr uint32_t kBankL1 = 0x190;
inline constexpr uint32_t kBankStride = 0xc;

}  // namespace hallmark

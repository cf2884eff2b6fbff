// Generated from runtime/device-code/src/dispatch_abi.rs by scripts/device-code; do not edit.
#pragma once

#include <stdint.h>

namespace hallmark {

inline constexpr uint32_t kDispatchAbi = 0x3;
inline constexpr uint32_t kMailboxCompletionTile = 0x8;
inline constexpr uint32_t kMailboxCompletionAddress = 0xc;
inline constexpr uint32_t kDispatchControl = 0x2000;
inline constexpr uint32_t kDispatchStatusLine = 0x2100;
inline constexpr uint32_t kDispatchGoLine = 0x2140;
inline constexpr uint32_t kDispatchEventLine = 0x2150;
inline constexpr uint32_t kDispatchBankTables = 0x2400;
inline constexpr uint32_t kDispatchStaging = 0x4000;
inline constexpr uint32_t kDispatchStagingSize = 0x8000;
inline constexpr uint32_t kDispatchTrace = 0x10000;
inline constexpr uint32_t kDispatchTraceSize = 0x10000;
inline constexpr uint32_t kDispatchRing = 0x20000;
inline constexpr uint32_t kControlWritten = 0x0;
inline constexpr uint32_t kControlDrained = 0x4;
inline constexpr uint32_t kControlBootStatus = 0x10;
inline constexpr uint32_t kControlAbi = 0x14;
inline constexpr uint32_t kControlWorkersDone = 0x20;
inline constexpr uint32_t kControlEvents = 0x40;
inline constexpr uint32_t kControlConfig = 0x80;
inline constexpr uint32_t kConfigNocXy = 0x0;
inline constexpr uint32_t kConfigQueue = 0x4;
inline constexpr uint32_t kConfigRingSize = 0x8;
inline constexpr uint32_t kConfigFirstPosition = 0xc;
inline constexpr uint32_t kConfigHostTile = 0x10;
inline constexpr uint32_t kConfigHostLow = 0x14;
inline constexpr uint32_t kConfigHostHigh = 0x18;
inline constexpr uint32_t kConfigCompletionSize = 0x1c;
inline constexpr uint32_t kConfigPeerTile = 0x20;
inline constexpr uint32_t kConfigMailbox = 0x24;
inline constexpr uint32_t kConfigFirstDone = 0x28;
inline constexpr uint32_t kConfigFirstGo = 0x2c;
inline constexpr uint32_t kConfigFirstCompletion = 0x30;
inline constexpr uint32_t kConfigFirstEvent = 0x34;
inline constexpr uint32_t kStatusConsumed = 0x0;
inline constexpr uint32_t kStatusProduced = 0x4;
inline constexpr uint32_t kStatusFinished = 0x8;
inline constexpr uint32_t kStatusBegun = 0xc;
inline constexpr uint32_t kStatusEvent = 0x10;
inline constexpr uint32_t kStatusSize = 0x20;
inline constexpr uint32_t kCompletionSpace = 0x40;
inline constexpr uint32_t kCompletionAlignment = 0x40;
inline constexpr uint32_t kOperationSkip = 0x1;
inline constexpr uint32_t kOperationWrite = 0x2;
inline constexpr uint32_t kOperationRead = 0x3;
inline constexpr uint32_t kOperationLaunch = 0x4;
inline constexpr uint32_t kOperationRecord = 0x5;
inline constexpr uint32_t kOperationWait = 0x6;
inline constexpr uint32_t kOperationReplay = 0x7;
inline constexpr uint32_t kOperationFinish = 0x8;
inline constexpr uint32_t kOperationEnd = 0x9;
inline constexpr uint32_t kOperationCopy = 0xa;
inline constexpr uint32_t kOperationCall = 0xb;
inline constexpr uint32_t kCommandHeader = 0x10;
inline constexpr uint32_t kRectangleTiles = 0x18;
inline constexpr uint32_t kTracePage = 0x400;

}  // namespace hallmark

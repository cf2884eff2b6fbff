// The sections of Dst by name.
#pragma once

#include <stdint.h>

namespace ckernel {

enum class DstSync : uint8_t {
    // Two sections: MATH computes in one while PACK packs the other.
    SyncHalf = 0,
    // One.
    SyncFull = 1,
};

}  // namespace ckernel

#define DST_SYNC_MODE (HALLMARK_DST_FULL_SYNC ? ckernel::DstSync::SyncFull : ckernel::DstSync::SyncHalf)

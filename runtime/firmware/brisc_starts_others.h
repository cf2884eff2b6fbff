// How BRISC starts the other cores where only it reaches the registers that say where, and NCRISC runs
// from an instruction RAM that only the mover fills: Grayskull and Wormhole. Which words of the
// configuration those are is the chip's own matter.
#pragma once

#include "firmware.h"

namespace hallmark {

// There is nothing to choose.
inline void configure_core() {}

inline void copy_ncrisc() {
    register_at(kMoverSource) = reinterpret_cast<uint32_t>(NCRISC_LOAD) >> 4;
    register_at(kMoverDestination) = kMoverInstructionRam;
    register_at(kMoverSize) = reinterpret_cast<uint32_t>(NCRISC_SIZE) >> 4;
    register_at(kMoverDirection) = kMoverFromL1;
    register_at(kMoverCommand) = kMoverCopy;
    while ((register_at(kMoverStatus) & (kMoverBusy | kMoverQueueEmpty)) != kMoverQueueEmpty) {
    }
}

inline void release_others() {
    copy_ncrisc();
    write_config(kConfigTriscResetPc + 0, reinterpret_cast<uint32_t>(TRISC0_RUN));
    write_config(kConfigTriscResetPc + 1, reinterpret_cast<uint32_t>(TRISC1_RUN));
    write_config(kConfigTriscResetPc + 2, reinterpret_cast<uint32_t>(TRISC2_RUN));
    write_config(kConfigTriscResetOverride, 7);
    write_config(kConfigNcriscResetPc, reinterpret_cast<uint32_t>(NCRISC_RUN));
    write_config(kConfigNcriscResetOverride, 1);
    write_config(kConfigInvalidateCaches, kAllCores);
    register_at(kSoftReset) = 0;
}

}  // namespace hallmark

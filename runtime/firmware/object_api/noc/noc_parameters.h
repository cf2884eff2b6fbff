// Alignments of transfers, in bytes (ISA documentation, NoC/Alignment.md), and registers of the NoC interfaces by upstream's
// names (NoC/MemoryMap.md).
#pragma once

#include <stdint.h>

#include "hallmark/kernel_state.h"

#ifndef HALLMARK_COMPUTE
#include "hallmark/noc.h"
#endif

#define NOC_L1_READ_ALIGNMENT_BYTES 16
#define NOC_L1_WRITE_ALIGNMENT_BYTES 16
#define NOC_DRAM_WRITE_ALIGNMENT_BYTES 16
#define NOC_REG_ALIGNMENT_BYTES 4
#ifdef ARCH_BLACKHOLE
#define NOC_DRAM_READ_ALIGNMENT_BYTES 64
#else
#define NOC_DRAM_READ_ALIGNMENT_BYTES 32
#endif
#define NOC_PCIE_READ_ALIGNMENT_BYTES NOC_DRAM_READ_ALIGNMENT_BYTES
#define NOC_PCIE_WRITE_ALIGNMENT_BYTES 16
#define L1_ALIGNMENT 16
#define DRAM_ALIGNMENT NOC_DRAM_READ_ALIGNMENT_BYTES

#ifndef HALLMARK_COMPUTE
#define NOC_CTRL (hallmark::kNocControl)
#define NOC_AT_LEN_BE (hallmark::kNocLength)

#define NOC_CMD_CPY 0u
#define NOC_CMD_RD 0u
#define NOC_CMD_AT (hallmark::kControlAtomic)
#define NOC_CMD_WR (hallmark::kControlWrite)
#define NOC_CMD_WR_INLINE (hallmark::kControlInline)
#define NOC_CMD_RESP_MARKED (hallmark::kControlResponse)
#define NOC_CMD_BRCST_PACKET (hallmark::kControlMulticast)
#define NOC_CMD_VC_LINKED (hallmark::kControlLinked)
#define NOC_CMD_VC_STATIC (hallmark::kControlStaticVc)
#define NOC_CMD_PATH_RESERVE (hallmark::kControlPathReserve)
#define NOC_CMD_BRCST_SRC_INCLUDE (hallmark::kControlIncludeSource)
#define NOC_CMD_STATIC_VC(vc) (static_cast<uint32_t>(vc) << 13)

inline constexpr uint32_t NCRISC_WR_CMD_BUF = hallmark::kWriteBuffer;
inline constexpr uint32_t NCRISC_RD_CMD_BUF = hallmark::kReadBuffer;

FORCE_INLINE void NOC_CMD_BUF_WRITE_REG(uint32_t noc, uint32_t buf, uint32_t addr, uint32_t val) {
    hallmark::noc_register(noc, buf, addr) = val;
}
FORCE_INLINE uint32_t NOC_CMD_BUF_READ_REG(uint32_t noc, uint32_t buf, uint32_t addr) {
    return hallmark::noc_register(noc, buf, addr);
}
#endif

// NoC requests. A NoC address is 64 bits: a tile address below, coordinates above.
#pragma once

#include "hallmark/noc_address.h"

namespace hallmark {

// One command buffer per kind of request, as upstream. Inline writes share that of atomics.
inline constexpr uint32_t kWriteBuffer = 0;
inline constexpr uint32_t kReadBuffer = 1;
inline constexpr uint32_t kRegisterWriteBuffer = 2;
inline constexpr uint32_t kAtomicBuffer = 3;

// NOC_CTRL (ISA documentation, NoC/MemoryMap.md).
inline constexpr uint32_t kControlAtomic = 1u << 0;
inline constexpr uint32_t kControlWrite = 1u << 1;
inline constexpr uint32_t kControlInline = 1u << 3;
inline constexpr uint32_t kControlResponse = 1u << 4;
inline constexpr uint32_t kControlMulticast = 1u << 5;
inline constexpr uint32_t kControlLinked = 1u << 6;
inline constexpr uint32_t kControlStaticVc = 1u << 7;
inline constexpr uint32_t kControlPathReserve = 1u << 8;
inline constexpr uint32_t kControlIncludeSource = 1u << 17;

constexpr uint32_t control_vc(uint32_t vc) { return kControlStaticVc | (vc << 13); }

// NOC_AT_LEN_BE of an atomic increment that wraps at 2^32.
inline constexpr uint32_t kAtomicIncrement = (1u << 12) | (31u << 2);

FORCE_INLINE void wait_for_buffer(uint32_t noc, uint32_t buffer) {
    while (noc_register(noc, buffer, kNocCommand) != 0) {
    }
}

FORCE_INLINE void wait_for_count(uint32_t noc, uint32_t offset, uint32_t value) {
    volatile uint32_t& count = noc_status(noc, offset);
    while (count != value) {
    }
}

struct NocRequest {
    uint32_t target_low;
    NocUpper target_upper;
    uint32_t return_low;
    NocUpper return_upper;
    uint32_t control;
    uint32_t length;
};

FORCE_INLINE void noc_issue(uint32_t noc, uint32_t buffer, const NocRequest& request) {
    wait_for_buffer(noc, buffer);
    noc_register(noc, buffer, kNocTargetLow) = request.target_low;
    set_target_upper(noc, buffer, request.target_upper);
    noc_register(noc, buffer, kNocReturnLow) = request.return_low;
    set_return_upper(noc, buffer, request.return_upper);
    noc_register(noc, buffer, kNocControl) = request.control;
    noc_register(noc, buffer, kNocLength) = request.length;
    noc_register(noc, buffer, kNocCommand) = 1;
}

FORCE_INLINE uint32_t low(uint64_t noc_address) { return static_cast<uint32_t>(noc_address); }

// What a command buffer's next requests count as, until it is set again; 0 when a kernel starts.
FORCE_INLINE void set_transaction(uint32_t noc, uint32_t buffer, uint32_t id) {
    wait_for_buffer(noc, buffer);
    noc_register(noc, buffer, kNocPacketTag) = id << 10;
}

// One packet of at most kNocMaxBurst bytes.
FORCE_INLINE void read_packet(uint32_t noc, uint32_t vc, uint64_t from, uint32_t to, uint32_t size) {
    noc_issue(noc, kReadBuffer,
              {low(from), upper(from), to, own_tile(noc), kControlResponse | control_vc(vc), size});
    noc_reads_num_issued[noc] += 1;
}

FORCE_INLINE void count_write(uint32_t noc, bool posted) {
    if (posted) {
        noc_posted_writes_num_issued[noc] += 1;
    } else {
        noc_nonposted_writes_num_issued[noc] += 1;
        noc_nonposted_writes_acked[noc] += 1;
    }
}

FORCE_INLINE void write_packet(uint32_t noc, uint32_t vc, uint32_t from, uint64_t to, uint32_t size,
                               bool posted, uint32_t buffer = kWriteBuffer, bool count = true) {
    const uint32_t response = posted ? 0 : kControlResponse;
    noc_issue(noc, buffer,
              {from, own_tile(noc), low(to), upper(to), kControlWrite | response | control_vc(vc), size});
    if (count) {
        count_write(noc, posted);
    }
}

// What a series of transfers with one tile shares; addresses inside the tiles and, where it changes, the
// length follow with each transfer.
FORCE_INLINE void prepare_read(uint32_t noc, uint32_t vc, uint64_t from) {
    wait_for_buffer(noc, kReadBuffer);
    set_target_upper(noc, kReadBuffer, upper(from));
    set_return_upper(noc, kReadBuffer, own_tile(noc));
    noc_register(noc, kReadBuffer, kNocControl) = kControlResponse | control_vc(vc);
}

FORCE_INLINE void read_prepared(uint32_t noc, uint32_t from, uint32_t to, bool count) {
    wait_for_buffer(noc, kReadBuffer);
    noc_register(noc, kReadBuffer, kNocTargetLow) = from;
    noc_register(noc, kReadBuffer, kNocReturnLow) = to;
    noc_register(noc, kReadBuffer, kNocCommand) = 1;
    if (count) {
        noc_reads_num_issued[noc] += 1;
    }
}

FORCE_INLINE void prepare_write(uint32_t noc, uint32_t vc, uint64_t to, bool posted,
                                uint32_t buffer = kWriteBuffer) {
    const uint32_t response = posted ? 0 : kControlResponse;
    wait_for_buffer(noc, buffer);
    set_target_upper(noc, buffer, own_tile(noc));
    set_return_upper(noc, buffer, upper(to));
    noc_register(noc, buffer, kNocControl) = kControlWrite | response | control_vc(vc);
}

FORCE_INLINE void write_prepared(uint32_t noc, uint32_t from, uint32_t to, bool posted, bool count,
                                 uint32_t buffer = kWriteBuffer) {
    wait_for_buffer(noc, buffer);
    noc_register(noc, buffer, kNocTargetLow) = from;
    noc_register(noc, buffer, kNocReturnLow) = to;
    noc_register(noc, buffer, kNocCommand) = 1;
    if (count) {
        count_write(noc, posted);
    }
}

FORCE_INLINE void multicast_packet(uint32_t noc, uint32_t vc, uint32_t from, uint64_t to, uint32_t size,
                                   uint32_t receivers, bool linked, bool include_source,
                                   uint32_t buffer = kWriteBuffer) {
    const uint32_t control = kControlWrite | kControlResponse | kControlMulticast | kControlPathReserve |
                             control_vc(vc) | (linked ? kControlLinked : 0) |
                             (include_source ? kControlIncludeSource : 0);
    noc_issue(noc, buffer, {from, own_tile(noc), low(to), upper(to), control, size});
    noc_nonposted_writes_num_issued[noc] += 1;
    noc_nonposted_writes_acked[noc] += receivers;
}

}  // namespace hallmark

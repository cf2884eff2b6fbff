// Requests and waits by transaction identifier.
#pragma once

#include "api/dataflow/dataflow_api.h"
#include "hallmark/zeros.h"

namespace hallmark {

#ifdef HALLMARK_NOC_COUNTS_TRANSACTIONS

FORCE_INLINE uint32_t transactions_under_way(uint32_t noc, uint32_t id) {
    return noc_status(noc, kNocOutstanding + 4 * id);
}

// Until half as many are under way as can be counted.
FORCE_INLINE void wait_for_transactions(uint32_t noc, uint32_t id) {
    while (transactions_under_way(noc, id) > (NOC_MAX_TRANSACTION_ID_COUNT + 1) / 2) {
    }
}

FORCE_INLINE void wait_for_no_transactions(uint32_t noc, uint32_t id) {
    wait_for_count(noc, kNocOutstanding + 4 * id, 0);
    invalidate_l1_cache();
}

FORCE_INLINE void wait_until_sent(uint32_t noc, uint32_t id) {
    wait_for_count(noc, kNocOutgoing + 4 * id, 0);
    invalidate_l1_cache();
}

#else

__attribute__((error("this chip counts no requests by transaction identifier"))) uint32_t transactions_under_way(uint32_t,
                                                                                                                  uint32_t);
__attribute__((error("this chip counts no requests by transaction identifier"))) void wait_for_transactions(uint32_t,
                                                                                                            uint32_t);
__attribute__((error("this chip counts no requests by transaction identifier"))) void wait_for_no_transactions(uint32_t,
                                                                                                               uint32_t);
__attribute__((error("this chip counts no requests by transaction identifier"))) void wait_until_sent(uint32_t, uint32_t);

#endif

// The identifier stays with the command buffer, as upstream: later reads have it, too.
inline void read_with_transaction(uint32_t noc, uint32_t vc, uint64_t from, uint32_t to, uint32_t size, uint32_t id) {
    set_transaction(noc, read_cmd_buf, id);
    for (;;) {
        const uint32_t part = size > NOC_MAX_BURST_SIZE ? NOC_MAX_BURST_SIZE : size;
        wait_for_transactions(noc, id);
        read_packet(noc, vc, from, to, part);
        size -= part;
        if (size == 0) {
            return;
        }
        from += part;
        to += part;
    }
}

template <bool posted>
inline void write_with_transaction(uint32_t noc, uint32_t vc, uint32_t from, uint64_t to, uint32_t size, uint32_t id) {
    set_transaction(noc, write_cmd_buf, id);
    for (;;) {
        const uint32_t part = size > NOC_MAX_BURST_SIZE ? NOC_MAX_BURST_SIZE : size;
        wait_for_transactions(noc, id);
        write_packet(noc, vc, from, to, part, posted);
        size -= part;
        if (size == 0) {
            return;
        }
        from += part;
        to += part;
    }
}

// Zeros in this tile's L1, by requests that a read barrier waits for.
inline void read_zeros(uint32_t noc, uint32_t to, uint32_t size) {
    const uint64_t from = get_noc_addr(MEM_ZEROS_BASE, noc);
    while (size != 0) {
        const uint32_t part = size < kZerosBytes ? size : kZerosBytes;
        read_packet(noc, NOC_UNICAST_WRITE_VC, from, to, part);
        to += part;
        size -= part;
    }
}

}  // namespace hallmark

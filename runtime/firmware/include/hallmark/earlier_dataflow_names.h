// Names of earlier releases' data-movement API that TT-Metalium has no longer at 0.81.1, each with today's. earlier_objects.rs
// names today's objects beside the compiler's message.
#pragma once

#include <stdint.h>

#include "hallmark/refused.h"

#define HALLMARK_EARLIER_NAME(name, today) HALLMARK_REFUSED(name, "today this is " today)
#define HALLMARK_EARLIER_RESULT(type, name, today) HALLMARK_REFUSED_RESULT(type, name, "today this is " today)

HALLMARK_EARLIER_NAME(noc_async_read_tile_dram_sharded,
                      "noc_async_read(get_noc_addr_from_bank_id<true>(bank_id, address), l1_address, size)")
HALLMARK_EARLIER_RESULT(uint32_t, noc_async_read_tile_dram_sharded_set_state,
                        "noc_async_read_one_packet_set_state<true>(get_noc_addr_from_bank_id<true>(bank_id, address), size, vc)")
HALLMARK_EARLIER_NAME(noc_async_read_tile_dram_sharded_with_state,
                      "noc_async_read_one_packet_with_state<true, true>(address, l1_address, vc)")
HALLMARK_EARLIER_NAME(noc_async_read_tile_dram_sharded_with_state_with_trid,
                      "noc_async_read_one_packet_with_state_with_trid(base, offset, l1_address, trid)")
HALLMARK_EARLIER_NAME(noc_async_read_tile_dram_sharded_set_trid, "noc_async_read_set_trid(trid)")
HALLMARK_EARLIER_NAME(noc_async_write_multicast_exclude_region,
                      "noc_async_write_multicast of each rectangle beside the region")
HALLMARK_EARLIER_RESULT(uint64_t, get_noc_exclude_region,
                        "get_noc_multicast_addr of each rectangle beside the region")
HALLMARK_EARLIER_RESULT(uint32_t, make_tensor_accessor_args, "TensorAccessorArgs<first_compile_time_argument>()")
HALLMARK_EARLIER_RESULT(uint32_t, make_tensor_accessor_from_args, "TensorAccessor(args, address)")

#undef HALLMARK_EARLIER_NAME
#undef HALLMARK_EARLIER_RESULT

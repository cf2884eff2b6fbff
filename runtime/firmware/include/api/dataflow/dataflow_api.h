// The data-movement kernel API, by the names of TT-Metalium at 0.81.1.
#pragma once

#include <cstdint>

#include "hallmark/earlier_dataflow_names.h"
#include "hallmark/noc.h"
#include "hallmark/zeros.h"
#include "hostdevcommon/common_values.hpp"
#include "hostdevcommon/kernel_structs.h"
#include "tensix_types.h"
#ifdef HALLMARK_TILES
#include "hallmark/tile_tables.h"
#endif

#ifdef HALLMARK_COMPUTE
#error "dataflow_api.h is for data-movement kernels"
#endif

// As in <sys/types.h>.
using uint = unsigned int;

// Whether each data-movement core has a NoC of its own, as all do here.
inline constexpr uint8_t DM_DEDICATED_NOC = 0;
inline constexpr uint8_t DM_DYNAMIC_NOC = 1;
inline constexpr uint8_t noc_mode = DM_DEDICATED_NOC;

inline constexpr uint32_t NOC_MAX_BURST_SIZE = hallmark::kNocMaxBurst;
inline constexpr uint8_t NOC_UNICAST_WRITE_VC = 1;
inline constexpr uint8_t NOC_MULTICAST_WRITE_VC = 4;
inline constexpr uint32_t NUM_CIRCULAR_BUFFERS = hallmark::kCircularBuffers;

// The command buffers by upstream's names: each kind of request has its own.
inline constexpr uint8_t write_cmd_buf = hallmark::kWriteBuffer;
inline constexpr uint8_t read_cmd_buf = hallmark::kReadBuffer;
inline constexpr uint8_t write_reg_cmd_buf = hallmark::kRegisterWriteBuffer;
inline constexpr uint8_t write_at_cmd_buf = hallmark::kAtomicBuffer;

// ---- Circular buffers ----

FORCE_INLINE bool cb_pages_reservable_at_back(int32_t operand, int32_t num_pages) {
    return hallmark::cb_pages_reservable(operand, num_pages);
}

FORCE_INLINE void cb_reserve_back(int32_t operand, int32_t num_pages) {
    hallmark::cb_reserve(operand, num_pages);
}

FORCE_INLINE void cb_push_back(const int32_t operand, const int32_t num_pages) {
    hallmark::cb_push(operand, num_pages);
}

FORCE_INLINE bool cb_pages_available_at_front(int32_t operand, int32_t num_pages) {
    return hallmark::cb_pages_available(operand, num_pages);
}

FORCE_INLINE void cb_wait_front(int32_t operand, int32_t num_pages) { hallmark::cb_wait(operand, num_pages); }

FORCE_INLINE void cb_pop_front(int32_t operand, int32_t num_pages) { hallmark::cb_pop(operand, num_pages); }

FORCE_INLINE uint32_t get_write_ptr(uint32_t operand) { return get_local_cb_interface(operand).fifo_wr_ptr; }

FORCE_INLINE uint32_t get_read_ptr(uint32_t operand) { return get_local_cb_interface(operand).fifo_rd_ptr; }

#ifdef HALLMARK_TILES
constexpr uint32_t get_tile_size(const int32_t operand) { return unpack_tile_size[operand]; }
#else
// The page size, which is a tile's size wherever pages are tiles; upstream derives it from the data format.
FORCE_INLINE uint32_t get_tile_size(const int32_t operand) {
    return get_local_cb_interface(operand).fifo_page_size;
}
#endif

// ---- Addresses ----

namespace hallmark {

// `tile` is x | y << 6.
FORCE_INLINE uint64_t noc_address_of(uint32_t tile, uint32_t address) {
    return (static_cast<uint64_t>(tile << kNocUpperAddressBits) << 32) | address;
}

}  // namespace hallmark

FORCE_INLINE uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t noc = noc_index) {
    return hallmark::noc_address_of(hallmark::noc_x_on(noc_x, noc) | (hallmark::noc_y_on(noc_y, noc) << 6), addr);
}

FORCE_INLINE uint64_t get_noc_addr(uint32_t addr, uint8_t noc = noc_index) {
    return hallmark::noc_address_of(my_x[noc] | (static_cast<uint32_t>(my_y[noc]) << 6), addr);
}

// The start lies upstream of the end: on NoC 1 that is the corner with the greater coordinates.
FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end,
                                             uint32_t noc_y_end, uint32_t addr, uint8_t noc = noc_index) {
    const uint32_t start = hallmark::noc_x_on(noc_x_start, noc) | (hallmark::noc_y_on(noc_y_start, noc) << 6);
    const uint32_t end = hallmark::noc_x_on(noc_x_end, noc) | (hallmark::noc_y_on(noc_y_end, noc) << 6);
    return hallmark::noc_address_of(end | (start << 12), addr);
}

// ---- Banks ----

namespace hallmark {

FORCE_INLINE uint32_t bank_count(bool dram) {
    const uint32_t tables = launch_word(kLaunchBankTables);
    return *reinterpret_cast<volatile uint32_t*>(tables + (dram ? kBankDramCount : kBankL1Count));
}

FORCE_INLINE uint64_t bank_address(bool dram, uint32_t bank, uint32_t address, uint32_t noc) {
    const uint32_t tables = launch_word(kLaunchBankTables);
    const volatile uint32_t* entry =
        reinterpret_cast<volatile uint32_t*>(tables + (dram ? kBankDram : kBankL1) + bank * kBankStride);
    return noc_address_of(entry[noc], entry[2] + address);
}

// Page `id` of an interleaved buffer lies in bank `id mod banks`.
FORCE_INLINE uint64_t page_address(bool dram, uint32_t id, uint32_t base, uint32_t stride, uint32_t offset,
                                   uint32_t noc) {
    const uint32_t banks = bank_count(dram);
    return bank_address(dram, id % banks, base + (id / banks) * stride + offset, noc);
}

// Pages start at the alignment of their memory.
FORCE_INLINE uint32_t aligned_page_size(bool dram, uint32_t page_size) {
    const uint32_t alignment = dram ? kDramAlignment : 16;
    return (page_size + alignment - 1) & ~(alignment - 1);
}

}  // namespace hallmark

// The banks of this chip. TT-Metalium builds kernels for one chip and has constants.
#define NUM_DRAM_BANKS (hallmark::bank_count(true))
#define NUM_L1_BANKS (hallmark::bank_count(false))

template <bool kDram>
FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t bank_address_offset,
                                                uint8_t noc = noc_index) {
    return hallmark::bank_address(kDram, bank_id, bank_address_offset, noc);
}

namespace hallmark {

// The address inside the tile of a bank.
FORCE_INLINE uint32_t address_in_bank(bool dram, uint32_t bank, uint32_t address) {
    const uint32_t tables = launch_word(kLaunchBankTables);
    const volatile uint32_t* entry =
        reinterpret_cast<volatile uint32_t*>(tables + (dram ? kBankDram : kBankL1) + bank * kBankStride);
    return entry[2] + address;
}

// The bytes of a tile with `elements` elements, as upstream counts them: formats that are not listed, Int8 too, are those of
// Bfp8, and a tile has at least 16 exponents.
constexpr uint32_t tile_bytes(DataFormat format, uint32_t elements) {
    const uint32_t exponents = elements < 256 ? 16 : elements / 16;
    switch (static_cast<DataFormat>(static_cast<uint32_t>(format) & 0x1F)) {
        case DataFormat::UInt8: return elements;
        case DataFormat::UInt16:
        case DataFormat::Float16:
        case DataFormat::Float16_b: return 2 * elements;
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::Float32: return 4 * elements;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return elements / 2 + exponents;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return elements / 4 + exponents;
        default: return elements + exponents;
    }
}

// A page of a power of two takes at least the alignment of its memory.
constexpr uint32_t aligned_log_of_page_size(bool dram, uint32_t log) {
    const uint32_t least = dram ? __builtin_ctz(kDramAlignment) : 4;
    return log > least ? log : least;
}

}  // namespace hallmark

// A byte of page `id` of an interleaved buffer.
FORCE_INLINE uint64_t get_dram_noc_addr(const uint32_t id, const uint32_t page_size, const uint32_t bank_base_address,
                                        const uint32_t offset = 0, uint8_t noc = noc_index) {
    return hallmark::page_address(true, id, bank_base_address, hallmark::aligned_page_size(true, page_size), offset, noc);
}

FORCE_INLINE uint64_t get_l1_noc_addr(const uint32_t id, const uint32_t page_size, const uint32_t bank_base_address,
                                      const uint32_t offset = 0, uint8_t noc = noc_index) {
    return hallmark::page_address(false, id, bank_base_address, hallmark::aligned_page_size(false, page_size), offset,
                                  noc);
}

// Interleaved buffers as upstream addressed them before TensorAccessor. `get_addr` is an address inside the tile of a bank.
template <bool kDram>
struct InterleavedAddrGen {
    static constexpr bool is_dram = kDram;
    uint32_t bank_base_address;
    const uint32_t page_size;
    const uint32_t aligned_page_size = hallmark::aligned_page_size(kDram, page_size);

    FORCE_INLINE uint32_t get_addr(const uint32_t id, const uint32_t bank_offset_index, const uint32_t bank_index,
                                   const uint32_t offset = 0) const {
        static_cast<void>(id);
        return hallmark::address_in_bank(kDram, bank_index,
                                         bank_base_address + bank_offset_index * aligned_page_size + offset);
    }

    FORCE_INLINE uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0,
                                       uint8_t noc = noc_index) const {
        return hallmark::page_address(kDram, id, bank_base_address, aligned_page_size, offset, noc);
    }
};

// The same with pages of a power of two.
template <bool kDram>
struct InterleavedPow2AddrGen {
    static constexpr bool is_dram = kDram;
    const uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;
    const uint32_t aligned_log_base_2_of_page_size =
        hallmark::aligned_log_of_page_size(kDram, log_base_2_of_page_size);

    FORCE_INLINE uint32_t get_addr(const uint32_t id, const uint32_t bank_offset_index, const uint32_t bank_index,
                                   const uint32_t offset = 0) const {
        static_cast<void>(id);
        return hallmark::address_in_bank(
            kDram, bank_index, bank_base_address + (bank_offset_index << aligned_log_base_2_of_page_size) + offset);
    }

    FORCE_INLINE uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0,
                                       uint8_t noc = noc_index) const {
        return hallmark::page_address(kDram, id, bank_base_address, 1u << aligned_log_base_2_of_page_size, offset, noc);
    }
};

template <bool kDram>
struct InterleavedPow2AddrGenFast {
    static constexpr bool is_dram = kDram;
    uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;
    const uint32_t aligned_log_base_2_of_page_size =
        hallmark::aligned_log_of_page_size(kDram, log_base_2_of_page_size);

    FORCE_INLINE uint32_t get_addr(const uint32_t id, const uint32_t bank_offset_index, const uint32_t bank_index,
                                   const uint32_t offset = 0) const {
        static_cast<void>(id);
        return hallmark::address_in_bank(
            kDram, bank_index, bank_base_address + (bank_offset_index << aligned_log_base_2_of_page_size) + offset);
    }

    FORCE_INLINE uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0,
                                       uint8_t noc = noc_index) const {
        return hallmark::page_address(kDram, id, bank_base_address, 1u << aligned_log_base_2_of_page_size, offset, noc);
    }
};

// Pages are tiles of a data format, and follow each other in a bank without a gap; a transfer moves `page_size` bytes.
template <bool kDram, uint32_t kTileElements = 1024>
struct InterleavedAddrGenFast {
    static constexpr bool is_dram = kDram;
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;

    FORCE_INLINE uint32_t get_addr(const uint32_t id, const uint32_t bank_offset_index, const uint32_t bank_index,
                                   const uint32_t offset = 0) const {
        static_cast<void>(id);
        return hallmark::address_in_bank(
            kDram, bank_index,
            bank_base_address + bank_offset_index * hallmark::tile_bytes(data_format, kTileElements) + offset);
    }

    FORCE_INLINE uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0,
                                       uint8_t noc = noc_index) const {
        return hallmark::page_address(kDram, id, bank_base_address, hallmark::tile_bytes(data_format, kTileElements),
                                      offset, noc);
    }
};

namespace hallmark {

template <typename AddrGen>
using if_gives_addresses = decltype(static_cast<const AddrGen*>(nullptr)->get_noc_addr(0u, 0u, uint8_t()));

}  // namespace hallmark

// Only of what gives addresses of pages: three numbers of any type are a tile and an address there.
template <typename AddrGen, typename = hallmark::if_gives_addresses<AddrGen>>
FORCE_INLINE uint64_t get_noc_addr(const uint32_t id, const AddrGen& addrgen, uint32_t offset = 0,
                                   uint8_t noc = noc_index) {
    return addrgen.get_noc_addr(id, offset, noc);
}

// ---- Reads and writes ----

template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_one_packet(uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                            uint8_t noc = noc_index, uint32_t vc = NOC_UNICAST_WRITE_VC) {
    hallmark::read_packet(noc, vc, src_noc_addr, dst_local_l1_addr, size);
}

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
inline void noc_async_read(uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size,
                           uint8_t noc = noc_index, uint32_t vc = NOC_UNICAST_WRITE_VC) {
    if constexpr (max_page_size > NOC_MAX_BURST_SIZE) {
        while (size > NOC_MAX_BURST_SIZE) {
            hallmark::read_packet(noc, vc, src_noc_addr, dst_local_l1_addr, NOC_MAX_BURST_SIZE);
            src_noc_addr += NOC_MAX_BURST_SIZE;
            dst_local_l1_addr += NOC_MAX_BURST_SIZE;
            size -= NOC_MAX_BURST_SIZE;
        }
    }
    hallmark::read_packet(noc, vc, src_noc_addr, dst_local_l1_addr, size);
}

template <bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size,
                                             uint8_t noc = noc_index, uint32_t vc = NOC_UNICAST_WRITE_VC) {
    hallmark::write_packet(noc, vc, src_local_l1_addr, dst_noc_addr, size, posted);
}

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true, bool posted = false>
inline void noc_async_write(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size,
                            uint8_t noc = noc_index, uint32_t vc = NOC_UNICAST_WRITE_VC) {
    if constexpr (max_page_size > NOC_MAX_BURST_SIZE) {
        while (size > NOC_MAX_BURST_SIZE) {
            hallmark::write_packet(noc, vc, src_local_l1_addr, dst_noc_addr, NOC_MAX_BURST_SIZE, posted);
            src_local_l1_addr += NOC_MAX_BURST_SIZE;
            dst_noc_addr += NOC_MAX_BURST_SIZE;
            size -= NOC_MAX_BURST_SIZE;
        }
    }
    hallmark::write_packet(noc, vc, src_local_l1_addr, dst_noc_addr, size, posted);
}

namespace hallmark {

// Bytes that the transfer of a page moves: what an accessor of a sharded tensor tells by a function.
template <typename AddrGen>
FORCE_INLINE auto bytes_of_page(const AddrGen& addrgen, int) -> decltype(uint32_t{addrgen.page_size}) {
    return addrgen.page_size;
}
template <typename AddrGen>
FORCE_INLINE auto bytes_of_page(const AddrGen& addrgen, long) -> decltype(uint32_t{addrgen.get_aligned_page_size()}) {
    return addrgen.get_aligned_page_size();
}
template <typename AddrGen>
FORCE_INLINE auto bytes_of_page(const AddrGen& addrgen, ...) -> decltype(1u << addrgen.log_base_2_of_page_size) {
    return 1u << addrgen.log_base_2_of_page_size;
}

}  // namespace hallmark

template <typename AddrGen, bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_read_page(const uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr,
                                      uint32_t offset = 0, uint8_t noc = noc_index) {
    noc_async_read(addrgen.get_noc_addr(id, offset, noc), dst_local_l1_addr,
                   hallmark::bytes_of_page(addrgen, 0), noc);
}

template <typename AddrGen>
FORCE_INLINE void noc_async_read_tile(const uint32_t id, const AddrGen& addrgen, uint32_t dst_local_l1_addr,
                                      uint32_t offset = 0, uint8_t noc = noc_index) {
    noc_async_read_page(id, addrgen, dst_local_l1_addr, offset, noc);
}

template <typename AddrGen, bool enable_noc_tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_page(const uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr,
                                       uint32_t size = 0, uint32_t offset = 0, uint8_t noc = noc_index) {
    noc_async_write<NOC_MAX_BURST_SIZE + 1, enable_noc_tracing, posted>(
        src_local_l1_addr, addrgen.get_noc_addr(id, offset, noc),
        size != 0 ? size : hallmark::bytes_of_page(addrgen, 0), noc);
}

template <typename AddrGen>
FORCE_INLINE void noc_async_write_tile(const uint32_t id, const AddrGen& addrgen, uint32_t src_local_l1_addr,
                                       uint8_t noc = noc_index) {
    noc_async_write_page(id, addrgen, src_local_l1_addr, hallmark::bytes_of_page(addrgen, 0), 0, noc);
}

// The pages of a shard follow each other in its bank. TensorAccessor follows below.
template <typename Args, bool IsSharded>
struct TensorAccessor;

// `DSpec` has no effect: it stands where upstream's parameter does.
template <typename DSpec = void, typename Args>
FORCE_INLINE void noc_async_read_shard(const uint32_t shard_id, const TensorAccessor<Args, true>& s,
                                       uint32_t dst_local_l1_addr, uint8_t noc = noc_index) {
    noc_async_read(s.get_shard_noc_addr(shard_id, 0, noc), dst_local_l1_addr,
                   s.get_aligned_page_size() * s.dspec().shard_volume(), noc);
}

template <typename DSpec = void, bool posted = false, typename Args>
FORCE_INLINE void noc_async_write_shard(const uint32_t shard_id, const TensorAccessor<Args, true>& s,
                                        uint32_t src_local_l1_addr, uint8_t noc = noc_index) {
    noc_async_write<NOC_MAX_BURST_SIZE + 1, true, posted>(
        src_local_l1_addr, s.get_shard_noc_addr(shard_id, 0, noc),
        s.get_aligned_page_size() * s.dspec().shard_volume(), noc);
}

// ---- Many transfers to or from one tile: what they share is set up once ----

template <bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_set_state(uint64_t src_noc_addr, uint32_t size,
                                                      uint32_t vc = NOC_UNICAST_WRITE_VC,
                                                      uint8_t noc = noc_index) {
    hallmark::prepare_read(noc, use_vc ? vc : NOC_UNICAST_WRITE_VC, src_noc_addr);
    hallmark::noc_register(noc, hallmark::kReadBuffer, hallmark::kNocLength) = size;
}

template <bool inc_num_issued = true, bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr,
                                                       uint32_t vc = NOC_UNICAST_WRITE_VC,
                                                       uint8_t noc = noc_index) {
    hallmark::read_prepared(noc, src_local_l1_addr, dst_local_l1_addr, inc_num_issued);
}

FORCE_INLINE void noc_async_read_set_state(uint64_t src_noc_addr, uint8_t noc = noc_index) {
    hallmark::prepare_read(noc, NOC_UNICAST_WRITE_VC, src_noc_addr);
}

template <bool inc_num_issued = true, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_read_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                            uint8_t noc = noc_index) {
    using namespace hallmark;
    for (;;) {
        const uint32_t part = size > NOC_MAX_BURST_SIZE ? NOC_MAX_BURST_SIZE : size;
        wait_for_buffer(noc, kReadBuffer);
        noc_register(noc, kReadBuffer, kNocLength) = part;
        read_prepared(noc, src_local_l1_addr, dst_local_l1_addr, inc_num_issued);
        size -= part;
        if (size == 0) {
            return;
        }
        src_local_l1_addr += part;
        dst_local_l1_addr += part;
    }
}

FORCE_INLINE void noc_async_read_inc_num_issued(uint32_t num_issued_reads_inc, uint8_t noc = noc_index) {
    noc_reads_num_issued[noc] += num_issued_reads_inc;
}

template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_set_state(uint64_t dst_noc_addr, uint32_t size,
                                                       uint8_t noc = noc_index,
                                                       uint8_t vc = NOC_UNICAST_WRITE_VC) {
    hallmark::prepare_write(noc, vc, dst_noc_addr, posted);
    hallmark::noc_register(noc, hallmark::kWriteBuffer, hallmark::kNocLength) = size;
}

template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr,
                                                        uint8_t noc = noc_index) {
    hallmark::write_prepared(noc, src_local_l1_addr, dst_local_l1_addr, posted, true);
}

template <bool posted = false>
FORCE_INLINE void noc_async_write_set_state(uint64_t dst_noc_addr, uint8_t noc = noc_index,
                                            uint8_t vc = NOC_UNICAST_WRITE_VC) {
    hallmark::prepare_write(noc, vc, dst_noc_addr, posted);
}

template <bool posted = false, bool update_counter = true, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_write_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                             uint8_t noc = noc_index) {
    using namespace hallmark;
    for (;;) {
        const uint32_t part = size > NOC_MAX_BURST_SIZE ? NOC_MAX_BURST_SIZE : size;
        wait_for_buffer(noc, kWriteBuffer);
        noc_register(noc, kWriteBuffer, kNocLength) = part;
        write_prepared(noc, src_local_l1_addr, dst_local_l1_addr, posted, update_counter);
        size -= part;
        if (size == 0) {
            return;
        }
        src_local_l1_addr += part;
        dst_local_l1_addr += part;
    }
}

// ---- Multicast ----

namespace hallmark {

inline void multicast(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers, bool linked,
                      bool include_source, uint32_t noc, uint32_t vc = NOC_MULTICAST_WRITE_VC) {
    while (size > NOC_MAX_BURST_SIZE) {
        multicast_packet(noc, vc, from, to, NOC_MAX_BURST_SIZE, receivers, linked, include_source);
        from += NOC_MAX_BURST_SIZE;
        to += NOC_MAX_BURST_SIZE;
        size -= NOC_MAX_BURST_SIZE;
    }
    multicast_packet(noc, vc, from, to, size, receivers, linked, include_source);
}

}  // namespace hallmark

// To every tile of a rectangle but this one.
template <bool enable_noc_tracing = true>
FORCE_INLINE void noc_async_write_multicast_one_packet(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                                       uint32_t size, uint32_t num_dests, bool linked = false,
                                                       uint8_t noc = noc_index) {
    hallmark::multicast_packet(noc, NOC_MULTICAST_WRITE_VC, src_local_l1_addr, dst_noc_addr_multicast, size,
                               num_dests, linked, false);
}

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
inline void noc_async_write_multicast(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size,
                                      uint32_t num_dests, bool linked = false, uint8_t noc = noc_index,
                                      uint8_t vc = NOC_MULTICAST_WRITE_VC) {
    hallmark::multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, false, noc, vc);
}

// To every tile of a rectangle, this one included if it lies inside.
inline void noc_async_write_multicast_loopback_src(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                                   uint32_t size, uint32_t num_dests, bool linked = false,
                                                   uint8_t noc = noc_index) {
    hallmark::multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, true, noc);
}

enum class InlineWriteDst : uint8_t { DEFAULT, L1, REG };

namespace hallmark {

// A word written from a line of this core's own, one per NoC, in which it stands as in the target's.
template <bool posted>
inline void staged_write(uint64_t addr, uint32_t val, uint32_t noc, uint32_t vc) {
    // What was staged before must have left.
    wait_for_count(noc, kNocWritesSent, noc_nonposted_writes_num_issued[noc]);
    wait_for_count(noc, kNocPostedWritesSent, noc_posted_writes_num_issued[noc]);
    const uint32_t line = launch_word(kLaunchAtomicReturn) + kInlineStaging + 16 * (2 * PROCESSOR_INDEX + noc);
    volatile uint32_t* word = reinterpret_cast<volatile uint32_t*>(line + (low(addr) & 12));
    *word = val;
    settle_store(word);
    write_packet(noc, vc, reinterpret_cast<uint32_t>(word), addr, 4, posted);
}

}  // namespace hallmark

// Writes one word without a source in L1; the byte enables count only where the hardware does it.
template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
inline void noc_inline_dw_write(uint64_t addr, uint32_t val, uint8_t be = 0xF, uint8_t noc = noc_index,
                                uint8_t vc = NOC_UNICAST_WRITE_VC) {
    using namespace hallmark;
    if constexpr (!kInlineWritesToL1 && dst_type != InlineWriteDst::REG) {
        if (dst_type == InlineWriteDst::L1 || low(addr) < kFirstRegister) {
            staged_write<posted>(addr, val, noc, vc);
            return;
        }
    }
    // As upstream, by the buffer of atomics: an increment that follows stays behind it.
    wait_for_buffer(noc, kAtomicBuffer);
    noc_register(noc, kAtomicBuffer, kNocData) = val;
    // The byte enables select bytes of a 32-byte line.
    const uint32_t enables = static_cast<uint32_t>(be) << (low(addr) & 31);
    const uint32_t response = posted ? 0 : kControlResponse;
    noc_issue(noc, kAtomicBuffer,
              {low(addr), upper(addr), 0, own_tile(noc), kControlWrite | kControlInline | response | control_vc(vc),
               enables});
    if constexpr (posted) {
        noc_posted_writes_num_issued[noc] += 1;
    } else {
        noc_nonposted_writes_num_issued[noc] += 1;
        noc_nonposted_writes_acked[noc] += 1;
    }
}

// The same in two steps: what several writes share, and one write, which may change the word, and the address inside the tile
// or what stands above it. As upstream, the hardware writes in every case: on Blackhole, only to registers.
template <bool posted = false, bool set_val = false>
FORCE_INLINE void noc_inline_dw_write_set_state(uint64_t addr, uint32_t val = 0, uint8_t be = 0xF,
                                                uint8_t cmd_buf = write_at_cmd_buf, uint8_t noc = noc_index,
                                                uint8_t vc = NOC_UNICAST_WRITE_VC) {
    using namespace hallmark;
    wait_for_buffer(noc, cmd_buf);
    if constexpr (set_val) {
        noc_register(noc, cmd_buf, kNocData) = val;
    }
    const uint32_t response = posted ? 0 : kControlResponse;
    noc_register(noc, cmd_buf, kNocTargetLow) = low(addr);
    set_target_upper(noc, cmd_buf, upper(addr));
    noc_register(noc, cmd_buf, kNocReturnLow) = 0;
    set_return_upper(noc, cmd_buf, own_tile(noc));
    noc_register(noc, cmd_buf, kNocControl) = kControlWrite | kControlInline | response | control_vc(vc);
    noc_register(noc, cmd_buf, kNocLength) = static_cast<uint32_t>(be) << (low(addr) & 31);
}

template <bool update_addr_lo = false, bool update_counter = true, bool posted = false, bool update_addr_hi = false,
          bool update_val = false, InlineWriteDst dst_type = InlineWriteDst::DEFAULT>
FORCE_INLINE void noc_inline_dw_write_with_state(uint32_t val, uint32_t addr = 0, uint8_t cmd_buf = write_at_cmd_buf,
                                                 uint8_t noc = noc_index) {
    using namespace hallmark;
    static_assert(!update_addr_lo || !update_addr_hi, "one half of the address changes at most");
    wait_for_buffer(noc, cmd_buf);
    if constexpr (update_addr_lo) {
        noc_register(noc, cmd_buf, kNocTargetLow) = addr;
        if constexpr (dst_type != InlineWriteDst::REG) {
            noc_register(noc, cmd_buf, kNocLength) = 0xFu << (addr & 31);
        }
    } else if constexpr (update_addr_hi) {
        set_target_coordinates(noc, cmd_buf, addr);
    }
    if constexpr (update_val) {
        noc_register(noc, cmd_buf, kNocData) = val;
    }
    noc_register(noc, cmd_buf, kNocCommand) = 1;
    if constexpr (update_counter || !kInlineWritesToL1) {
        count_write(noc, posted);
    }
}

// ---- Barriers ----

// Takes the requests of this processor from the hardware's counts: those before are done as far as barriers are concerned.
// For a kernel that has changed the counts.
inline void ncrisc_noc_counters_init() {
    for (uint32_t noc = 0; noc < 2; ++noc) {
        noc_reads_num_issued[noc] = hallmark::noc_status(noc, hallmark::kNocReadResponses);
        noc_nonposted_writes_num_issued[noc] = hallmark::noc_status(noc, hallmark::kNocWritesSent);
        noc_nonposted_writes_acked[noc] = hallmark::noc_status(noc, hallmark::kNocWriteAcks);
        noc_nonposted_atomics_acked[noc] = hallmark::noc_status(noc, hallmark::kNocAtomicResponses);
        noc_posted_writes_num_issued[noc] = hallmark::noc_status(noc, hallmark::kNocPostedWritesSent);
    }
}

// The same, by the name of what kernels call that may share a NoC: here none does.
FORCE_INLINE void dynamic_noc_local_state_init() { ncrisc_noc_counters_init(); }

FORCE_INLINE void noc_async_read_barrier(uint8_t noc = noc_index) {
    hallmark::wait_for_count(noc, hallmark::kNocReadResponses, noc_reads_num_issued[noc]);
    invalidate_l1_cache();
}

FORCE_INLINE void noc_async_write_barrier(uint8_t noc = noc_index) {
    hallmark::wait_for_count(noc, hallmark::kNocWriteAcks, noc_nonposted_writes_acked[noc]);
    invalidate_l1_cache();
}

// Sources may be overwritten; receivers need not have the data yet.
FORCE_INLINE void noc_async_writes_flushed(uint8_t noc = noc_index) {
    hallmark::wait_for_count(noc, hallmark::kNocWritesSent, noc_nonposted_writes_num_issued[noc]);
    invalidate_l1_cache();
}

FORCE_INLINE void noc_async_posted_writes_flushed(uint8_t noc = noc_index) {
    hallmark::wait_for_count(noc, hallmark::kNocPostedWritesSent, noc_posted_writes_num_issued[noc]);
    invalidate_l1_cache();
}

FORCE_INLINE void noc_async_atomic_barrier(uint8_t noc = noc_index) {
    hallmark::wait_for_count(noc, hallmark::kNocAtomicResponses, noc_nonposted_atomics_acked[noc]);
    invalidate_l1_cache();
}

FORCE_INLINE void noc_async_full_barrier(uint8_t noc = noc_index) {
    noc_async_read_barrier(noc);
    noc_async_writes_flushed(noc);
    noc_async_write_barrier(noc);
    noc_async_atomic_barrier(noc);
    noc_async_posted_writes_flushed(noc);
}

// ---- Semaphores ----

FORCE_INLINE void noc_semaphore_wait(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val) {
    do {
        invalidate_l1_cache();
    } while (*sem_addr != val);
}

FORCE_INLINE void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val) {
    do {
        invalidate_l1_cache();
    } while (*sem_addr < val);
}

FORCE_INLINE void noc_semaphore_set(volatile tt_l1_ptr uint32_t* sem_addr, uint32_t val) {
    *sem_addr = val;
    // A NoC request that sends this word on must not overtake the store.
    hallmark::settle_store(sem_addr);
}

template <bool posted = false>
inline void noc_semaphore_inc(uint64_t addr, uint32_t incr, uint8_t noc_id = noc_index,
                              uint8_t vc = NOC_UNICAST_WRITE_VC) {
    using namespace hallmark;
    wait_for_buffer(noc_id, kAtomicBuffer);
    noc_register(noc_id, kAtomicBuffer, kNocData) = incr;
    constexpr bool kPosted = posted && kPostedAtomics;
    const uint32_t response = kPosted ? 0 : kControlResponse;
    noc_issue(noc_id, kAtomicBuffer,
              {low(addr), upper(addr), launch_word(kLaunchAtomicReturn) + 4 * PROCESSOR_INDEX, own_tile(noc_id),
               kControlAtomic | response | control_vc(vc), kAtomicIncrement | ((low(addr) >> 2) & 3)});
    if constexpr (!kPosted) {
        noc_nonposted_atomics_acked[noc_id] += 1;
    }
}

// Adds to a word of every tile of a rectangle but this one; always with responses, as upstream.
template <bool posted = false>
inline void noc_semaphore_inc_multicast(uint64_t addr, uint32_t incr, uint32_t num_dests, uint8_t noc_id = noc_index,
                                        uint8_t vc = NOC_MULTICAST_WRITE_VC) {
    using namespace hallmark;
    wait_for_buffer(noc_id, kAtomicBuffer);
    noc_register(noc_id, kAtomicBuffer, kNocData) = incr;
    noc_issue(noc_id, kAtomicBuffer,
              {low(addr), upper(addr), launch_word(kLaunchAtomicReturn) + 4 * PROCESSOR_INDEX, own_tile(noc_id),
               kControlAtomic | kControlResponse | kControlMulticast | kControlPathReserve | control_vc(vc),
               kAtomicIncrement | ((low(addr) >> 2) & 3)});
    noc_nonposted_atomics_acked[noc_id] += num_dests;
}

// Copies a semaphore of this tile to another one. As upstream, what sets semaphores goes through another
// command buffer than data. Writes leave in the order of the calls from every buffer, so the copy arrives behind the
// data before it; only an atomic may overtake what has not left (Blackhole).
inline void noc_semaphore_set_remote(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint8_t noc = noc_index) {
    hallmark::write_packet(noc, NOC_UNICAST_WRITE_VC, src_local_l1_addr, dst_noc_addr, 4, false,
                           write_reg_cmd_buf);
}

inline void noc_semaphore_set_multicast(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                        uint32_t num_dests, bool linked = false, uint8_t noc = noc_index,
                                        uint8_t vc = NOC_MULTICAST_WRITE_VC) {
    hallmark::multicast_packet(noc, vc, src_local_l1_addr, dst_noc_addr_multicast, 4, num_dests, linked, false,
                               write_reg_cmd_buf);
}

inline void noc_semaphore_set_multicast_loopback_src(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                                     uint32_t num_dests, bool linked = false,
                                                     uint8_t noc = noc_index) {
    hallmark::multicast_packet(noc, NOC_MULTICAST_WRITE_VC, src_local_l1_addr, dst_noc_addr_multicast, 4,
                               num_dests, linked, true, write_reg_cmd_buf);
}

// ---- Transaction identifiers, 0 to 15: barriers that wait for some transfers and not for others ----

#ifdef HALLMARK_NOC_COUNTS_TRANSACTIONS
inline constexpr uint32_t NOC_MAX_TRANSACTION_ID = 0xF;
inline constexpr uint32_t NOC_MAX_TRANSACTION_ID_COUNT = 255;
inline constexpr uint32_t NOC_CLEAR_OUTSTANDING_REQ_MASK = (1u << (NOC_MAX_TRANSACTION_ID + 1)) - 1;

// Counts of requests have 8 bits: at most 255 may be outstanding for an identifier that is waited for.
FORCE_INLINE void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
    hallmark::set_transaction(noc, read_cmd_buf, trid);
}

FORCE_INLINE void noc_async_write_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
    hallmark::set_transaction(noc, write_cmd_buf, trid);
}

// After noc_async_read_one_packet_set_state and noc_async_read_set_trid. Waits while half as many reads as
// can be counted are outstanding.
template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_read_one_packet_with_state_with_trid(uint32_t src_base_addr, uint32_t src_addr,
                                                                 uint32_t dest_addr, uint32_t trid = 0,
                                                                 uint8_t noc = noc_index) {
    volatile uint32_t& outstanding = hallmark::noc_status(noc, hallmark::kNocOutstanding + 4 * trid);
    while (outstanding > (NOC_MAX_TRANSACTION_ID_COUNT + 1) / 2) {
    }
    hallmark::read_prepared(noc, src_base_addr + src_addr, dest_addr, !skip_ptr_update);
}

FORCE_INLINE bool ncrisc_noc_read_with_transaction_id_flushed(uint32_t noc, uint32_t transaction_id) {
    return hallmark::noc_status(noc, hallmark::kNocOutstanding + 4 * transaction_id) == 0;
}

FORCE_INLINE void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    hallmark::wait_for_count(noc, hallmark::kNocOutstanding + 4 * trid, 0);
    invalidate_l1_cache();
}

template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid(uint32_t src_local_l1_addr, uint64_t dst_noc_addr,
                                                       uint32_t size, uint32_t trid,
                                                       uint8_t cmd_buf = write_cmd_buf, uint8_t noc = noc_index,
                                                       uint8_t vc = NOC_UNICAST_WRITE_VC) {
    hallmark::set_transaction(noc, cmd_buf, trid);
    hallmark::write_packet(noc, vc, src_local_l1_addr, dst_noc_addr, size, posted, cmd_buf, update_counter);
}

template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_set_state(uint64_t dst_noc_addr,
                                                                 uint8_t cmd_buf = write_cmd_buf,
                                                                 uint8_t noc = noc_index,
                                                                 uint8_t vc = NOC_UNICAST_WRITE_VC) {
    hallmark::prepare_write(noc, vc, dst_noc_addr, posted, cmd_buf);
}

template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_with_state(uint32_t src_local_l1_addr,
                                                                  uint32_t dst_local_l1_addr, uint32_t size,
                                                                  uint32_t trid, uint8_t cmd_buf = write_cmd_buf,
                                                                  uint8_t noc = noc_index) {
    hallmark::set_transaction(noc, cmd_buf, trid);
    hallmark::noc_register(noc, cmd_buf, hallmark::kNocLength) = size;
    hallmark::write_prepared(noc, src_local_l1_addr, dst_local_l1_addr, posted, update_counter, cmd_buf);
}

FORCE_INLINE void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    hallmark::wait_for_count(noc, hallmark::kNocOutstanding + 4 * trid, 0);
    invalidate_l1_cache();
}

FORCE_INLINE void noc_async_write_flushed_with_trid(uint32_t trid, uint8_t noc = noc_index) {
    hallmark::wait_for_count(noc, hallmark::kNocOutgoing + 4 * trid, 0);
    invalidate_l1_cache();
}

FORCE_INLINE void reset_noc_trid_barrier_counter(uint32_t id_mask = NOC_CLEAR_OUTSTANDING_REQ_MASK,
                                                 uint32_t noc = noc_index) {
    hallmark::noc_status(noc, hallmark::kNocClearOutstanding) = id_mask;
}
#endif

// The compiler keeps no value of memory across this.
FORCE_INLINE void clobber_all_memory() { asm volatile("" : : : "memory"); }

// Registers of the clock. Reading the low half latches the high one.
inline constexpr uint32_t RISCV_DEBUG_REG_WALL_CLOCK_L = hallmark::kWallClockLow;
inline constexpr uint32_t RISCV_DEBUG_REG_WALL_CLOCK_H = hallmark::kWallClockHigh;

// Spins for a number of clocks. A simulator never sees this as waiting.
inline void riscv_wait(uint32_t cycles) {
    const uint32_t start = hallmark::register_at(hallmark::kWallClockLow);
    while (hallmark::register_at(hallmark::kWallClockLow) - start < cycles) {
    }
}

// Counts up. Upstream also stores the count to a word of its own, which nothing here reads.
inline void RISC_POST_HEARTBEAT(uint32_t& heartbeat) {
#if defined(ARCH_BLACKHOLE)
    static_cast<void>(heartbeat);
#else
    ++heartbeat;
#endif
}

#include "api/tensor/tensor_accessor.h"

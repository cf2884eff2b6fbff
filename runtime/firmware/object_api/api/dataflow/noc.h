// One NoC: reads, writes and multicasts between objects that know their addresses, and the waits for them.
//
// An object takes part by a specialization of noc_traits_t. Each function is one of dataflow_api.h with the addresses that
// the traits tell.
#pragma once

// Kernels expect what upstream's header includes.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "api/dataflow/dataflow_api.h"
#include "api/debug/assert.h"
#include "hallmark/noc_transactions.h"
#include "noc/noc_parameters.h"

#ifdef HALLMARK_COMPUTE
#error "api/dataflow/noc.h is for data-movement kernels"
#endif

// Data-movement cores count addresses of circular buffers in bytes.
inline constexpr uint32_t cb_addr_shift = 0;

// Where in a dataflow buffer a transfer begins.
struct DataflowBufferArgs {
    uint32_t offset_bytes = 0;
};

template <typename T>
struct noc_traits_t {
    static_assert(sizeof(T) == 0, "NoC transactions are not supported for this type");
};

// Whether Noc::async_write_zeros takes an object of this type.
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v = false;

// How a transfer differs from the usual one; values come with NocOptVals.
enum class NocOptions : uint32_t {
    DEFAULT = 0,
    TXN_ID = 1u << 0,
    POSTED = 1u << 1,
    CUSTOM_VC = 1u << 2,
    MCAST_INCL_SRC = 1u << 3,
    INLINE_L1 = 1u << 4,
    INLINE_REG = 1u << 5,
};

constexpr NocOptions operator|(NocOptions one, NocOptions other) noexcept {
    return static_cast<NocOptions>(static_cast<uint32_t>(one) | static_cast<uint32_t>(other));
}

constexpr bool has_flag(NocOptions options, NocOptions flag) noexcept {
    return (static_cast<uint32_t>(options) & static_cast<uint32_t>(flag)) != 0;
}

struct NocOptVals {
    // With CUSTOM_VC.
    uint32_t vc = NOC_UNICAST_WRITE_VC;
    // With TXN_ID.
    uint32_t trid = 0;
};

namespace hallmark {

// Whether an object tells how long it is, or how long an entry of it is.
template <typename T, typename = void>
inline constexpr bool has_size_in_bytes_v = false;
template <typename T>
inline constexpr bool has_size_in_bytes_v<T, std::void_t<decltype(std::declval<const T&>().size_in_bytes())>> = true;
template <typename T, typename = void>
inline constexpr bool has_entry_size_v = false;
template <typename T>
inline constexpr bool has_entry_size_v<T, std::void_t<decltype(std::declval<const T&>().get_entry_size())>> = true;

}  // namespace hallmark

class Noc {
public:
    enum class AddressType { NOC, LOCAL_L1 };

    static constexpr uint32_t INVALID_TXN_ID = 0xFFFFFFFF;

    Noc() : noc_id_(noc_index) {}
    explicit Noc(uint8_t noc_id) : noc_id_(noc_id) {}

    uint8_t get_noc_id() const { return noc_id_; }

    bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y) const {
        return is_local_addr(::get_noc_addr(virtual_x, virtual_y, 0, noc_id_));
    }

    bool is_local_addr(uint64_t noc_addr) const {
        constexpr uint32_t kBits = 32 + hallmark::kNocUpperAddressBits;
        return noc_addr >> kBits == ::get_noc_addr(0u, noc_id_) >> kBits;
    }

    // ---- Transfers to and from this tile ----

    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, typename Src, typename Dst>
    FORCE_INLINE void async_read(const Src& src, const Dst& dst, uint32_t size_bytes,
                                 const typename noc_traits_t<Src>::src_args_type& src_args,
                                 const typename noc_traits_t<Dst>::dst_args_type& dst_args,
                                 const NocOptVals& values = {}) const {
        const uint32_t vc = has_flag(options, NocOptions::CUSTOM_VC) ? values.vc : NOC_UNICAST_WRITE_VC;
        const uint32_t to = write_address<AddressType::LOCAL_L1>(dst, dst_args);
        const uint64_t from = read_address<AddressType::NOC>(src, src_args);
        if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            hallmark::read_with_transaction(noc_id_, vc, from, to, size_bytes, values.trid);
        } else {
            noc_async_read<max_page_size>(from, to, size_bytes, noc_id_, vc);
        }
    }

    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, typename Src, typename Dst>
    FORCE_INLINE void async_write(const Src& src, const Dst& dst, uint32_t size_bytes,
                                  const typename noc_traits_t<Src>::src_args_type& src_args,
                                  const typename noc_traits_t<Dst>::dst_args_type& dst_args,
                                  const NocOptVals& values = {}) const {
        constexpr bool posted = has_flag(options, NocOptions::POSTED);
        const uint32_t vc = has_flag(options, NocOptions::CUSTOM_VC) ? values.vc : NOC_UNICAST_WRITE_VC;
        const uint32_t from = read_address<AddressType::LOCAL_L1>(src, src_args);
        const uint64_t to = write_address<AddressType::NOC>(dst, dst_args);
        if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            hallmark::write_with_transaction<posted>(noc_id_, vc, from, to, size_bytes, values.trid);
        } else {
            noc_async_write<max_page_size, enable_noc_tracing, posted>(from, to, size_bytes, noc_id_, vc);
        }
    }

    // To the tiles of a rectangle: without this tile, unless MCAST_INCL_SRC says otherwise.
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, typename Src, typename Dst>
    FORCE_INLINE void async_write_multicast(const Src& src, const Dst& dst, uint32_t size_bytes, uint32_t num_dests,
                                            const typename noc_traits_t<Src>::src_args_type& src_args,
                                            const typename noc_traits_t<Dst>::dst_args_mcast_type& dst_args,
                                            bool linked = false) const {
        static_assert(!has_flag(options, NocOptions::TXN_ID), "a multicast takes no transaction identifier");
        static_assert(!has_flag(options, NocOptions::POSTED), "a multicast is not posted");
        const uint32_t from = read_address<AddressType::LOCAL_L1>(src, src_args);
        const uint64_t to = noc_traits_t<Dst>::template dst_addr_mcast<AddressType::NOC>(dst, *this, dst_args);
        if constexpr (has_flag(options, NocOptions::MCAST_INCL_SRC)) {
            noc_async_write_multicast_loopback_src(from, to, size_bytes, num_dests, linked, noc_id_);
        } else {
            noc_async_write_multicast<max_page_size>(from, to, size_bytes, num_dests, linked, noc_id_);
        }
    }

    // ---- Many transfers to or from one tile: what they share is set up once ----

    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src>
    FORCE_INLINE void set_async_read_state(const Src& src, uint32_t size_bytes,
                                           const typename noc_traits_t<Src>::src_args_type& src_args,
                                           const NocOptVals& values = {}) const {
        const uint64_t from = read_address<AddressType::NOC>(src, src_args);
        constexpr bool use_vc = has_flag(options, NocOptions::CUSTOM_VC);
        noc_async_read_one_packet_set_state<use_vc>(from, size_bytes, values.vc, noc_id_);
        if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            hallmark::set_transaction(noc_id_, read_cmd_buf, values.trid);
        }
    }

    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src,
              typename Dst>
    FORCE_INLINE void async_read_with_state(const Src& src, const Dst& dst, uint32_t size_bytes,
                                            const typename noc_traits_t<Src>::src_args_type& src_args,
                                            const typename noc_traits_t<Dst>::dst_args_type& dst_args,
                                            const NocOptVals& values = {}) const {
        const uint32_t from = static_cast<uint32_t>(read_address<AddressType::NOC>(src, src_args));
        const uint32_t to = write_address<AddressType::LOCAL_L1>(dst, dst_args);
        if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            static_assert(max_page_size <= NOC_MAX_BURST_SIZE, "with an identifier, each read is one packet");
            hallmark::wait_for_transactions(noc_id_, values.trid);
            hallmark::read_prepared(noc_id_, from, to, true);
        } else if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            noc_async_read_one_packet_with_state(from, to, values.vc, noc_id_);
        } else {
            noc_async_read_with_state(from, to, size_bytes, noc_id_);
        }
    }

    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Dst>
    FORCE_INLINE void set_async_write_state(const Dst& dst, uint32_t size_bytes,
                                            const typename noc_traits_t<Dst>::dst_args_type& dst_args,
                                            const NocOptVals& values = {}) const {
        static_assert(!has_flag(options, NocOptions::TXN_ID), "writes with state take no transaction identifier");
        const uint64_t to = write_address<AddressType::NOC>(dst, dst_args);
        noc_async_write_one_packet_set_state<has_flag(options, NocOptions::POSTED)>(to, size_bytes, noc_id_, values.vc);
    }

    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src,
              typename Dst>
    FORCE_INLINE void async_write_with_state(const Src& src, const Dst& dst, uint32_t size_bytes,
                                             const typename noc_traits_t<Src>::src_args_type& src_args,
                                             const typename noc_traits_t<Dst>::dst_args_type& dst_args,
                                             const NocOptVals& = {}) const {
        static_assert(!has_flag(options, NocOptions::TXN_ID), "writes with state take no transaction identifier");
        constexpr bool posted = has_flag(options, NocOptions::POSTED);
        const uint32_t from = read_address<AddressType::LOCAL_L1>(src, src_args);
        const uint32_t to = static_cast<uint32_t>(write_address<AddressType::NOC>(dst, dst_args));
        if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            noc_async_write_one_packet_with_state<posted>(from, to, noc_id_);
        } else {
            noc_async_write_with_state<posted>(from, to, size_bytes, noc_id_);
        }
    }

    // ---- One word without a source in L1 ----

    template <NocOptions options = NocOptions::DEFAULT, typename Dst>
    FORCE_INLINE void inline_dw_write(const Dst& dst, uint32_t val,
                                      const typename noc_traits_t<Dst>::dst_args_type& dst_args, uint8_t be = 0xF,
                                      const NocOptVals& values = {}) const {
        static_assert(!has_flag(options, NocOptions::TXN_ID), "an inline write takes no transaction identifier");
        constexpr bool to_l1 = has_flag(options, NocOptions::INLINE_L1);
        constexpr bool to_register = has_flag(options, NocOptions::INLINE_REG);
        static_assert(!to_l1 || !to_register, "the target is L1 or a register");
        constexpr InlineWriteDst kind = to_l1 ? InlineWriteDst::L1 : to_register ? InlineWriteDst::REG : InlineWriteDst::DEFAULT;
        const uint8_t vc = has_flag(options, NocOptions::CUSTOM_VC) ? values.vc : NOC_UNICAST_WRITE_VC;
        noc_inline_dw_write<kind, has_flag(options, NocOptions::POSTED)>(write_address<AddressType::NOC>(dst, dst_args),
                                                                         val, be, noc_id_, vc);
    }

    // ---- Waits ----

    bool is_read_trid_flushed(uint32_t trid) const { return hallmark::transactions_under_way(noc_id_, trid) == 0; }

    template <NocOptions options = NocOptions::DEFAULT>
    FORCE_INLINE void async_read_barrier(const NocOptVals& values = {}) const {
        if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            hallmark::wait_for_no_transactions(noc_id_, values.trid);
        } else {
            noc_async_read_barrier(noc_id_);
        }
    }

    template <NocOptions options = NocOptions::DEFAULT>
    FORCE_INLINE void async_write_barrier(const NocOptVals& values = {}) const {
        if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            hallmark::wait_for_no_transactions(noc_id_, values.trid);
        } else {
            noc_async_write_barrier(noc_id_);
        }
    }

    // Sources may be overwritten; receivers need not have the data yet.
    template <NocOptions options = NocOptions::DEFAULT>
    FORCE_INLINE void async_writes_flushed(const NocOptVals& values = {}) const {
        if constexpr (has_flag(options, NocOptions::POSTED)) {
            static_assert(!has_flag(options, NocOptions::TXN_ID), "posted writes are not counted by identifier");
            noc_async_posted_writes_flushed(noc_id_);
        } else if constexpr (has_flag(options, NocOptions::TXN_ID)) {
            hallmark::wait_until_sent(noc_id_, values.trid);
        } else {
            noc_async_writes_flushed(noc_id_);
        }
    }

    FORCE_INLINE void async_atomic_barrier() const { noc_async_atomic_barrier(noc_id_); }

    FORCE_INLINE void async_full_barrier() const { noc_async_full_barrier(noc_id_); }

    // ---- Zeros ----

    // Zeros from the object's write address on, which has the alignment of transfers. Nothing may access the bytes before
    // write_zeros_l1_barrier.
    template <typename Dst>
    FORCE_INLINE void async_write_zeros(const Dst& dst, uint32_t size_bytes,
                                        const typename noc_traits_t<Dst>::dst_args_type& args = {}) const {
        static_assert(noc_zero_l1_endpoint_v<Dst>, "zeros are written to objects in this tile's L1");
        const uint32_t to = write_address<AddressType::LOCAL_L1>(dst, args);
        if constexpr (hallmark::has_size_in_bytes_v<Dst>) {
            ASSERT(args.offset_bytes + size_bytes <= dst.size_in_bytes());
        }
        ASSERT(to % NOC_L1_READ_ALIGNMENT_BYTES == 0);
        hallmark::read_zeros(noc_id_, to, size_bytes);
    }

    // Zeros in one page of a tensor in DRAM. `scratch` holds zeros at its read address: as many as are asked for, or
    // NOC_MAX_BURST_SIZE.
    template <typename Accessor, typename Scratch>
    FORCE_INLINE void async_write_zeros(const Accessor& accessor, uint32_t size_bytes,
                                        const typename noc_traits_t<Accessor>::dst_args_type& args,
                                        const Scratch& scratch) const {
        static_assert(Accessor::is_dram, "zeros by way of L1 are written to tensors in DRAM");
        static_assert(noc_zero_l1_endpoint_v<Scratch>, "zeros come from an object in this tile's L1");
        ASSERT(args.offset_bytes + size_bytes <= accessor.get_aligned_page_size());
        const uint32_t first = size_bytes < NOC_MAX_BURST_SIZE ? size_bytes : NOC_MAX_BURST_SIZE;
        if constexpr (hallmark::has_size_in_bytes_v<Scratch>) {
            ASSERT(first <= scratch.size_in_bytes());
        } else if constexpr (hallmark::has_entry_size_v<Scratch>) {
            ASSERT(first <= scratch.get_entry_size());
        }
        const uint32_t from = read_address<AddressType::LOCAL_L1>(scratch, {});
        uint64_t to = write_address<AddressType::NOC>(accessor, args);
        while (size_bytes != 0) {
            const uint32_t part = size_bytes < NOC_MAX_BURST_SIZE ? size_bytes : NOC_MAX_BURST_SIZE;
            noc_async_write_one_packet(from, to, part, noc_id_);
            to += part;
            size_bytes -= part;
        }
    }

    FORCE_INLINE void write_zeros_l1_barrier() const { async_read_barrier(); }

    FORCE_INLINE void write_zeros_dram_barrier() const { async_write_barrier(); }

private:
    // An address at a tile is 64 bits, one in this tile's L1 is 32.
    template <AddressType address_type, typename Src>
    FORCE_INLINE auto read_address(const Src& src, const typename noc_traits_t<Src>::src_args_type& args) const {
        return noc_traits_t<Src>::template src_addr<address_type>(src, *this, args);
    }

    template <AddressType address_type, typename Dst>
    FORCE_INLINE auto write_address(const Dst& dst, const typename noc_traits_t<Dst>::dst_args_type& args) const {
        return noc_traits_t<Dst>::template dst_addr<address_type>(dst, *this, args);
    }

    uint8_t noc_id_;
};

namespace hallmark {

struct OffsetInObject {
    uint32_t offset_bytes = 0;
};

// The traits of an object in this tile's L1, which say where it is read and written.
template <typename Traits, typename Args = OffsetInObject>
struct LocalEndpoint {
    using src_args_type = Args;
    using dst_args_type = Args;

    template <Noc::AddressType address_type, typename T>
    FORCE_INLINE static uint32_t src_addr(const T& object, const Noc&, const src_args_type& args) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "the object lies in this tile's L1");
        check(object, args.offset_bytes);
        return Traits::read_address(object) + args.offset_bytes;
    }
    template <Noc::AddressType address_type, typename T>
    FORCE_INLINE static uint32_t dst_addr(const T& object, const Noc&, const dst_args_type& args) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "the object lies in this tile's L1");
        check(object, args.offset_bytes);
        return Traits::write_address(object) + args.offset_bytes;
    }

private:
    template <typename T>
    FORCE_INLINE static void check(const T& object, uint32_t offset_bytes) {
        if constexpr (has_size_in_bytes_v<T>) {
            ASSERT(offset_bytes < object.size_in_bytes());
        }
    }
};

// The same of an object that lies at one address on several tiles.
template <typename Traits, typename Args = OffsetInObject>
struct SharedEndpoint : LocalEndpoint<Traits, Args> {
    struct dst_args_mcast_type {
        uint32_t noc_x_start = 0;
        uint32_t noc_y_start = 0;
        uint32_t noc_x_end = 0;
        uint32_t noc_y_end = 0;
        uint32_t offset_bytes = 0;
    };

    template <Noc::AddressType address_type, typename T>
    FORCE_INLINE static uint64_t dst_addr_mcast(const T& object, const Noc& noc, const dst_args_mcast_type& args) {
        static_assert(address_type == Noc::AddressType::NOC, "a multicast goes to tiles");
        const uint32_t address = Traits::write_address(object) + args.offset_bytes;
        return ::get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, address,
                                        noc.get_noc_id());
    }
};

}  // namespace hallmark

#include "api/dataflow/endpoints.h"
#include "api/tensor/noc_traits.h"

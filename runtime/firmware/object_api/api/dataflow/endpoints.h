// Places that are no object of this tile: addresses of other tiles, rectangles of tiles, and banks.
#pragma once

#include "api/dataflow/noc.h"

struct UnicastEndpoint {
    FORCE_INLINE uint64_t get_noc_unicast_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t noc) const {
        return ::get_noc_addr(noc_x, noc_y, addr, noc);
    }
};

template <>
struct noc_traits_t<UnicastEndpoint> {
    struct src_args_type {
        uint32_t noc_x = 0;
        uint32_t noc_y = 0;
        uint32_t addr = 0;
    };
    struct dst_args_type {
        uint32_t noc_x = 0;
        uint32_t noc_y = 0;
        uint32_t addr = 0;
    };

    template <Noc::AddressType address_type>
    FORCE_INLINE static auto src_addr(const UnicastEndpoint&, const Noc& noc, const src_args_type& args) {
        return address_of<address_type>(noc, args);
    }
    template <Noc::AddressType address_type>
    FORCE_INLINE static auto dst_addr(const UnicastEndpoint&, const Noc& noc, const dst_args_type& args) {
        return address_of<address_type>(noc, args);
    }

private:
    template <Noc::AddressType address_type, typename Args>
    FORCE_INLINE static auto address_of(const Noc& noc, const Args& args) {
        if constexpr (address_type == Noc::AddressType::LOCAL_L1) {
            return args.addr;
        } else {
            return ::get_noc_addr(args.noc_x, args.noc_y, args.addr, noc.get_noc_id());
        }
    }
};

// A whole NoC address.
struct PrecomposedUnicastEndpoint {};

template <>
struct noc_traits_t<PrecomposedUnicastEndpoint> {
    struct src_args_type {
        uint64_t noc_addr = 0;
    };
    struct dst_args_type {
        uint64_t noc_addr = 0;
    };

    template <Noc::AddressType address_type>
    FORCE_INLINE static uint64_t src_addr(const PrecomposedUnicastEndpoint&, const Noc&, const src_args_type& args) {
        static_assert(address_type == Noc::AddressType::NOC, "a NoC address is no address of this tile's L1");
        return args.noc_addr;
    }
    template <Noc::AddressType address_type>
    FORCE_INLINE static uint64_t dst_addr(const PrecomposedUnicastEndpoint&, const Noc&, const dst_args_type& args) {
        static_assert(address_type == Noc::AddressType::NOC, "a NoC address is no address of this tile's L1");
        return args.noc_addr;
    }
};

struct MulticastEndpoint {
    FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end,
                                                 uint32_t noc_y_end, uint32_t addr, uint8_t noc) const {
        return ::get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, addr, noc);
    }
};

template <>
struct noc_traits_t<MulticastEndpoint> {
    struct dst_args_mcast_type {
        uint32_t noc_x_start = 0;
        uint32_t noc_y_start = 0;
        uint32_t noc_x_end = 0;
        uint32_t noc_y_end = 0;
        uint32_t addr = 0;
    };

    template <Noc::AddressType address_type>
    FORCE_INLINE static uint64_t dst_addr_mcast(const MulticastEndpoint&, const Noc& noc,
                                                const dst_args_mcast_type& args) {
        static_assert(address_type == Noc::AddressType::NOC, "a multicast goes to tiles");
        return ::get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, args.addr,
                                        noc.get_noc_id());
    }
};

enum class AllocatorBankType { L1, DRAM };

template <AllocatorBankType type>
struct AllocatorBank {
    FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t addr, uint8_t noc) const {
        return ::get_noc_addr_from_bank_id<type == AllocatorBankType::DRAM>(bank_id, addr, noc);
    }
};

template <AllocatorBankType type>
struct noc_traits_t<AllocatorBank<type>> {
    struct src_args_type {
        uint32_t bank_id = 0;
        uint32_t addr = 0;
    };
    struct dst_args_type {
        uint32_t bank_id = 0;
        uint32_t addr = 0;
    };

    template <Noc::AddressType address_type>
    FORCE_INLINE static uint64_t src_addr(const AllocatorBank<type>& bank, const Noc& noc, const src_args_type& args) {
        static_assert(address_type == Noc::AddressType::NOC, "a bank is no address of this tile's L1");
        return bank.get_noc_addr_from_bank_id(args.bank_id, args.addr, noc.get_noc_id());
    }
    template <Noc::AddressType address_type>
    FORCE_INLINE static uint64_t dst_addr(const AllocatorBank<type>& bank, const Noc& noc, const dst_args_type& args) {
        static_assert(address_type == Noc::AddressType::NOC, "a bank is no address of this tile's L1");
        return bank.get_noc_addr_from_bank_id(args.bank_id, args.addr, noc.get_noc_id());
    }
};

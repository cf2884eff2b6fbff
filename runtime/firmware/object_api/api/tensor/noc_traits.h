// Pages of tensors as sources and targets of transfers.
#pragma once

#include "api/dataflow/noc.h"
#include "api/tensor/tensor_accessor.h"

// Whether an accessor tells the size of a page with its padding.
template <typename T, typename = void>
inline constexpr bool has_get_aligned_page_size_v = false;
template <typename T>
inline constexpr bool has_get_aligned_page_size_v<T, std::void_t<decltype(std::declval<const T&>().get_aligned_page_size())>> =
    true;

namespace hallmark {

// The traits of an object that knows the address of each page.
template <typename ACCESSOR>
struct PagesEndpoint {
    struct src_args_type {
        uint32_t page_id = 0;
        uint32_t offset_bytes = 0;
    };
    struct dst_args_type {
        uint32_t page_id = 0;
        uint32_t offset_bytes = 0;
    };

    template <Noc::AddressType address_type>
    FORCE_INLINE static auto src_addr(const ACCESSOR& accessor, const Noc& noc, const src_args_type& args) {
        return address_of<address_type>(accessor.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id()));
    }
    template <Noc::AddressType address_type>
    FORCE_INLINE static auto dst_addr(const ACCESSOR& accessor, const Noc& noc, const dst_args_type& args) {
        return address_of<address_type>(accessor.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id()));
    }

private:
    // Only a page in this tile's L1 has an address there.
    template <Noc::AddressType address_type>
    FORCE_INLINE static auto address_of(uint64_t noc_address) {
        if constexpr (address_type == Noc::AddressType::LOCAL_L1) {
            return static_cast<uint32_t>(noc_address);
        } else {
            return noc_address;
        }
    }
};

}  // namespace hallmark

template <typename Args, bool is_sharded>
struct noc_traits_t<TensorAccessor<Args, is_sharded>> : hallmark::PagesEndpoint<TensorAccessor<Args, is_sharded>> {};

template <bool DRAM>
struct noc_traits_t<InterleavedAddrGen<DRAM>> : hallmark::PagesEndpoint<InterleavedAddrGen<DRAM>> {};

// A page of an iteration over pages.
template <>
struct noc_traits_t<tensor_accessor::Page> {
    struct src_args_type {
        uint32_t offset_bytes = 0;
    };
    struct dst_args_type {
        uint32_t offset_bytes = 0;
    };

    template <Noc::AddressType address_type>
    FORCE_INLINE static auto src_addr(const tensor_accessor::Page& page, const Noc&, const src_args_type& args) {
        static_assert(address_type == Noc::AddressType::NOC, "a page of a tensor lies at a tile");
        return page.noc_addr() + args.offset_bytes;
    }
    template <Noc::AddressType address_type>
    FORCE_INLINE static auto dst_addr(const tensor_accessor::Page& page, const Noc&, const dst_args_type& args) {
        static_assert(address_type == Noc::AddressType::NOC, "a page of a tensor lies at a tile");
        return page.noc_addr() + args.offset_bytes;
    }
};
